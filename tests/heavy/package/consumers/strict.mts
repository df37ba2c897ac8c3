// Each entry point as a strict project uses it, and what its types refuse. Compiled, not run. Deno
// compiles every other use of the types.
import { type ConformanceCase, conformanceCases, type Handle, storeCases } from "@petstore/conformance";
import { createClient, type NewPet, PetstoreError, type PetstoreErrorCode } from "@petstore/client";
import { createDurableObjectStore, type DurableObjectBinding } from "@petstore/edge/d1";
import { createMemoryStore, createPetstore, ERROR_STATUS, type ErrorCode } from "@petstore/petstore";
import type { KeyVerifier, Pet, PetStatus, PetstoreOptions } from "@petstore/petstore";
import { withFaults } from "@petstore/petstore/faults";
import { createKeyManager, type KeyInfo, type KeyManager } from "@petstore/petstore/keys";
import { createNodeListener, type NodeListener } from "@petstore/petstore/node";
import { createOpenApi, type Json } from "@petstore/petstore/openapi";
import { createSqliteStore } from "@petstore/petstore/sqlite";
import { formatPet, formatPets, type MaybePromise, type PetDraft, type PetPage } from "@petstore/petstore/store";
import { type PetQuery, type PetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { createPostgresStore, type PostgresPool } from "@petstore/postgres";

class ArrayStore implements PetStore {
  readonly #pets: Pet[] = [];

  create(pet: PetDraft): MaybePromise<bigint> {
    const id = BigInt(this.#pets.length + 1);
    this.#pets.push({ id, ...pet });
    return Promise.resolve(id);
  }

  get(id: bigint): string | undefined {
    const pet = this.#pets.find((pet) => pet.id === id);
    return pet && formatPet(pet);
  }

  list({ after, limit, status }: PetQuery): PetPage {
    const found = this.#pets.filter((pet) => pet.id > after && (status === undefined || pet.status === status));
    const page = found.slice(0, limit);
    const last = page[page.length - 1];
    return last && found.length > limit ? { json: formatPets(page), next: last.id } : { json: formatPets(page) };
  }

  check(): void {
    if (this.#pets.length > 1000) throw new StoreUnavailableError("Too many pets", { cause: this.#pets.length });
  }

  close(): void {}
}

const keys: KeyVerifier = (key: string | undefined, request: Request) =>
  request.headers.has("cookie") ? { id: "ann" } : Promise.resolve(key === "pk_example");
const options: PetstoreOptions = {
  store: new ArrayStore(),
  keys,
  cors: { origins: ["https://app.example"] },
  deprecation: { since: new Date(0), sunset: new Date(1), successor: "/pets", gone: true },
  stability: { listPets: "beta" },
  onError: ({ error, request, requestId }) => console.error(request.url, requestId, error),
  onResponse: ({ route = "none", status, durationMs }) => console.log(route, status, durationMs),
};
const app = withFaults(createPetstore(options), { lose: 0.1, operations: ["createPet"] });
export default { fetch: app.fetch };
export const response: Promise<Response> = app.handle(new Request("http://localhost/v1/pets"));
export const listener: NodeListener = createNodeListener(app);
export const version: Json | undefined = createOpenApi(app, { servers: [{ url: "/v1" }] })["openapi"];

export function openStores(pool: PostgresPool, storage: DurableObjectBinding): MaybePromise<PetStore>[] {
  return [createPostgresStore(pool, { schema: "pets" }), createDurableObjectStore(storage), createMemoryStore()];
}
export async function rotate(id: string): Promise<readonly KeyInfo[]> {
  await using store = createSqliteStore(":memory:");
  const manager: KeyManager = createKeyManager(store.keys, { keys: ["pk_example"] });
  await manager.rotate(id, { overlapMs: 1000 });
  return await manager.list();
}

const answer: Handle = async (request) => await app.handle(request);
const cases: ConformanceCase[] = conformanceCases({ baseUrl: "http://localhost/v1", key: "k", fetch: answer });
console.log(cases, await storeCases({ open: () => new ArrayStore(), sharing: "restarts" }));

const draft: NewPet = { name: "Luna", categoryId: 9007199254740993n };
const { pets } = createClient({ baseUrl: "http://localhost/v1", key: "pk_example", fetch: app.handle });
export async function useClient(signal: AbortSignal): Promise<bigint> {
  for await (const { categoryId } of pets.list({ status: "sold", signal })) {
    if (categoryId > 2n ** 53n) return categoryId;
  }
  const { pets: first, nextCursor } = await pets.page({ limit: 100 });
  console.log(first.map(({ status = "available" }): PetStatus => status), nextCursor);
  return (await pets.create(draft, { signal, idempotencyKey: "4711" })).id;
}
export function explain(error: unknown): PetstoreErrorCode | undefined {
  return error instanceof PetstoreError && error.code !== "overloaded" ? error.code : undefined;
}
export const notFound: 404 = ERROR_STATUS.pet_not_found;

/** A later release may add codes, and this line still compiles. */
export const later: [ErrorCode, PetstoreErrorCode] = ["new", "new"];
/** An editor still offers those of this release. */
type Offered<Name> = Name extends unknown ? string extends Name ? never : Name : never;
export const offered: Offered<ErrorCode> = "overloaded";
// @ts-expect-error No release has it.
export const unknown: Offered<ErrorCode> = "new";

// @ts-expect-error A petstore needs keys.
createPetstore({});
// @ts-expect-error There is no such option.
createPetstore({ keys, colour: "red" });
// @ts-expect-error An int64 is a bigint: a number would have been rounded.
formatPet({ id: 1, name: "Luna", categoryId: 7n, status: "sold" });
// @ts-expect-error There is no such status.
export const wrong: PetStatus = "lost";
// @ts-expect-error With exactOptionalPropertyTypes, to leave out and to set undefined are not the same.
export const unset: PetstoreOptions = { keys, cors: undefined };
// @ts-expect-error A client needs a key.
createClient({ baseUrl: "http://localhost/v1" });
// @ts-expect-error An int64 is a bigint.
void pets.get(1);
