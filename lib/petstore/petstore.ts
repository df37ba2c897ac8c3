import { createHandles, type Handle } from "../hosts/fetch.ts";
import type { PetstoreOptions } from "./options.ts";
import { createService } from "./service.ts";
import { checkOptions } from "./checked_options.ts";

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

/**
 * Refuses a runtime that lacks functions of ES2024, when the library is imported. Without this
 * check, the first request that needs one of them would fail with a 500 whose cause only the log
 * shows. Of these functions, runtimes got the one that is looked for last.
 *
 * @throws {Error} If the runtime is too old. The message names the oldest releases that have it.
 */
function requireEs2024(): void {
  if (typeof Promise.withResolvers === "function") return;
  throw new Error(
    "This runtime is too old for @petstore/petstore: it lacks Promise.withResolvers(). " +
      "Use Node.js 22.13, Deno 2.0, Bun 1.2 or later",
  );
}
