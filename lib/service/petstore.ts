/** A petstore that mounts in any app. */

import { createHandle } from "../hosts/fetch.ts";
import { checkOptions, type PetstoreOptions } from "./options.ts";
import { createService } from "./service.ts";

/** A mounted service. */
export interface Petstore {
  /**
   * Answers one request. Needs no `this`, and answers every failure with an Error body. Every request needs a key, a CORS
   * preflight aside; a path that is not below the base path is answered with 404.
   *
   * @returns Rejects with a TypeError only if it is given no `Request`.
   */
  handle: (request: Request) => Promise<Response>;
}

/**
 * Makes a Petstore service. Two of them share nothing.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createPetstore } from "@petstore/petstore";
 *
 * const petstore = createPetstore({ keys: ["pk_example"] });
 * const answer = await petstore.handle(
 *   new Request("http://localhost/v1/pets", {
 *     method: "POST",
 *     headers: { authorization: "Bearer pk_example", "content-type": "application/json" },
 *     body: '{"name":"Rex","categoryId":7}',
 *   }),
 * );
 * assert.equal(await answer.text(), '{"id":1,"name":"Rex","categoryId":7,"status":"available"}');
 * ```
 *
 * @throws {TypeError} If an option is missing, unknown or wrong.
 */
export function createPetstore(options: PetstoreOptions): Petstore {
  return { handle: createHandle(createService(checkOptions(options))) };
}
