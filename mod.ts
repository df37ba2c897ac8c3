/**
 * The Petstore service as a library: {@link createPetstore} returns a `handle(request)` that mounts
 * in any app that uses the `Request` and `Response` of the Fetch standard.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createPetstore } from "@petstore/petstore";
 *
 * const { handle } = createPetstore({ keys: ["pk_example"] });
 * const response = await handle(
 *   new Request("http://localhost/v1/pets?limit=2", { headers: { authorization: "Bearer pk_example" } }),
 * );
 * assert.equal(await response.text(), "[]");
 * ```
 *
 * @module
 */

export { createPetstore, type Petstore } from "./lib/petstore/petstore.ts";
export type { PetstoreOptions, ResponseInfo, Stability } from "./lib/petstore/options.ts";
export type { DeprecationOptions } from "./lib/operations/definition.ts";
export type { ErrorInfo } from "./lib/http/recovery.ts";
export type { Handle } from "./lib/hosts/fetch.ts";
export type { ApiKey, ApiKeys, KeyVerifier } from "./lib/access/keys_option.ts";
export type { Caller } from "./lib/http/context.ts";
export type { CorsOptions } from "./lib/http/cors.ts";
export { ERROR_STATUS, type ErrorCode } from "./lib/error_codes.ts";
export type { ErrorBody } from "./lib/http/problem.ts";
export type { RequestIds } from "./lib/http/finisher.ts";
export type { Pet, PetStatus } from "./lib/pet.ts";
export { type ClearableStore, createMemoryStore } from "./lib/stores/memory/memory_store.ts";
