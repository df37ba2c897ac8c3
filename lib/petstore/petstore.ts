import { type Handle, pipelineOf, serve } from "../hosts/fetch.ts";
import type { PetstoreOptions } from "./options.ts";
import { createService, type Service } from "./service.ts";
import { checkOptions, type Settings } from "./settings.ts";

/** A petstore that mounts in any app. */
export interface Petstore {
  /**
   * Answers one request. It can be called without `this`. Every request needs a key, except a CORS preflight. A path outside
   * the base path gets 404, and every failure gets an {@link ErrorBody}.
   *
   * The second argument tells the address of the client, which {@link PetstoreOptions.rateLimit} needs. `Deno.serve` passes it.
   *
   * @returns The response. The promise rejects only with a TypeError, if the argument is not a `Request`.
   */
  handle: Handle;
}

/**
 * Creates a Petstore service. Two services share no state.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createPetstore } from "@petstore/petstore";
 *
 * const petstore = createPetstore({ keys: ["pk_example"] });
 * const response = await petstore.handle(
 *   new Request("http://localhost/v1/pets", {
 *     method: "POST",
 *     headers: { authorization: "Bearer pk_example", "content-type": "application/json" },
 *     body: '{"name":"Rex","categoryId":7}',
 *   }),
 * );
 * assert.equal(await response.text(), '{"id":1,"name":"Rex","categoryId":7,"status":"available"}');
 * ```
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong type.
 * @throws {RangeError} If a number is out of range.
 */
export function createPetstore(options: PetstoreOptions): Petstore {
  return serve(createService(checkOptions(options)));
}

/** The options of a petstore, validated; `undefined` for another object. */
export function settingsOf(petstore: Petstore): Settings | undefined {
  return (pipelineOf(petstore) as Service | undefined)?.settings;
}
