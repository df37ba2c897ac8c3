import type { Call } from "./call.ts";
import { requireKnown, requireVisible } from "./options.ts";
import { type CallOptions, createPetList, getPage, type ListOptions, type PetList, type PetPage } from "./pet_list.ts";
import { formatNewPet, type NewPet, type Pet, readPet, requireBigint } from "./pet.ts";

/** How a pet is created. */
export interface CreateOptions extends CallOptions {
  /**
   * Calls with the same key make one pet, also from another process. Default: a random key for all
   * attempts of the call. With `null`, nothing is retried, since that could make a second pet.
   */
  idempotencyKey?: string | null | undefined;
}

/** The operations on pets. */
export interface Pets {
  /** Lists all pets, or those of one status, and follows `Link` to the end. */
  list(options?: ListOptions): PetList;
  /** Gets one page, and the cursor of the next. */
  page(options?: ListOptions): Promise<PetPage>;
  /**
   * Gets one pet.
   *
   * @deprecated The operation is to be removed on 5 December 2030, and no other gets a pet by its
   * id: list the pets of a status instead.
   * @throws {PetstoreError} `pet_not_found`, if there is no such pet.
   */
  get(id: bigint, options?: CallOptions): Promise<Pet>;
  /** Adds a pet, exactly once also after retries. */
  create(pet: NewPet, options?: CreateOptions): Promise<Pet>;
}

export function createPets(call: Call): Pets {
  return {
    // The options are a copy, because the caller may change its object before the first page is read.
    list: (options = {}) => createPetList(call, { ...options }),
    page: (options = {}) => getPage(call, options),
    async get(id, options = {}) {
      requireKnown(options, ["signal"]);
      const { signal } = options;
      const path = `/pets/${requireBigint("id", id)}`;
      return (await call({ operation: "getPet", method: "GET", path, parse: readPet, signal })).value;
    },
    async create(pet, options = {}) {
      requireKnown(options, ["signal", "idempotencyKey"]);
      const { signal, idempotencyKey = randomKey() } = options;
      if (idempotencyKey !== null) requireVisible("idempotencyKey", idempotencyKey);
      const parts = { path: "/pets", body: formatNewPet(pet), idempotencyKey, parse: readPet, signal };
      return (await call({ operation: "createPet", method: "POST", ...parts })).value;
    },
  };
}

/** Makes an `Idempotency-Key`. Unlike `randomUUID()`, this works on pages without TLS. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
