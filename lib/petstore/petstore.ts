import { createHandles, type Handle } from "../hosts/fetch.ts";
import type { PetstoreOptions } from "./options.ts";
import { createService } from "./service.ts";
import { checkOptions } from "./checked_options.ts";
import { requireEs2024 } from "./runtime.ts";

requireEs2024();

/** A petstore that mounts in any app. */
export interface Petstore {
  /** Answers a request, also without `this`. Rejects only for a wrong argument. */
  handle: Handle;
  /**
   * The same function as `handle`, so that `export default createPetstore(…)` is a Worker, or a
   * program for `deno serve` and `bun`. An app that wraps `handle` must wrap this too.
   */
  fetch: Handle;
}

/**
 * Creates a petstore. Two share no state.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/petstore";
 *
 * const { handle } = createPetstore({ keys: ["pk_example"] });
 * const headers = { authorization: "Bearer pk_example" };
 * await handle(new Request("http://localhost/v1/pets", { headers }));
 * ```
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong type.
 * @throws {RangeError} If a number is out of range.
 */
export function createPetstore(options: PetstoreOptions): Petstore {
  return createHandles(createService(checkOptions(options)));
}
