/**
 * A client of a petstore for every runtime that has `fetch`: int64 is exact, lists are followed to
 * their end, and requests are repeated when that helps, without a second pet.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createPetstore } from "@petstore/petstore";
 * import { createClient } from "@petstore/client";
 *
 * const petstore = createPetstore({ keys: ["pk_example"] });
 * // Without `fetch`, it sends its requests to the server at `baseUrl`.
 * const client = createClient({ baseUrl: "http://localhost/v1", key: "pk_example", fetch: petstore.handle });
 *
 * await client.pets.create({ name: "Rex", categoryId: 9223372036854775807n });
 * for await (const pet of client.pets.list({ status: "available" })) assert.equal(pet.categoryId, 2n ** 63n - 1n);
 * ```
 *
 * @module
 */

import { createCall } from "./lib/call.ts";
import { checkClientOptions, type ClientOptions } from "./lib/options.ts";
import { createPets, type Pets } from "./lib/pets.ts";

export {
  type ClientErrorCode,
  type ErrorCode,
  PetstoreError,
  type PetstoreErrorCode,
  type ResponseFacts,
} from "./lib/error.ts";
export type { ClientOptions, Fetch } from "./lib/options.ts";
export { formatPet, formatPets, type NewPet, type Pet, type PetStatus } from "./lib/pet.ts";
export type { CallOptions, ListOptions, PetList, PetPage } from "./lib/pet_list.ts";
export type { CreateOptions, Pets } from "./lib/pets.ts";
export type { Deprecation } from "./lib/response_fields.ts";

/** A client of one petstore. Its methods need no `this`. */
export interface Client {
  /** The operations on pets. */
  readonly pets: Pets;
}

/**
 * Makes a client. It opens no connection yet.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong type.
 * @throws {RangeError} If a number is out of range.
 */
export function createClient(options: ClientOptions): Client {
  return { pets: createPets(createCall(checkClientOptions(options))) };
}
