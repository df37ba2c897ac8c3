/**
 * The contracts as test cases for any test runner: {@link storeCases} tests a store, and
 * {@link conformanceCases} tests any server by its address, or a petstore in the same process. The
 * cases need `node:assert`, which Deno, Node and Bun have, and Workers with the flag
 * `nodejs_compat`.
 *
 * @example With the test runner of Node, Deno or Bun. Other runners work in the same way.
 * ```ts ignore
 * import { test } from "node:test";
 * import { storeCases, type StoreFixture } from "@petstore/conformance";
 * import { createMyStore } from "./my_store.ts";
 *
 * const fixture: StoreFixture = {
 *   open: (namespace) => createMyStore(namespace),
 *   sharing: "restarts",
 * };
 * for (const { name, skip, run } of await storeCases(fixture)) test(`my store ${name}`, { skip }, run);
 * ```
 *
 * @example A server in any language, which must keep what the specification says.
 * ```ts ignore
 * import { test } from "node:test";
 * import { conformanceCases } from "@petstore/conformance";
 *
 * const cases = conformanceCases({ baseUrl: "http://127.0.0.1:8080/v1", key: "secret" });
 * for (const { name, level, run } of cases) {
 *   if (level === "specification") test(`my server ${name}`, run);
 * }
 * ```
 *
 * @module
 */

import type { MaybePromise, PetStore } from "@petstore/petstore/store";
import { skipper, type StoreFixture, withNamespace } from "./lib/fixture.ts";
import { CONCURRENCY_CASES } from "./lib/store/concurrency.ts";
import { KEY_CASES } from "./lib/store/keys.ts";
import { ONCE_CASES } from "./lib/store/once.ts";
import { PET_CASES } from "./lib/store/pets.ts";
import { RESTART_CASES } from "./lib/store/restarts.ts";

export type { MaybePromise, PetStore, StoreFixture };
export type { Sharing } from "./lib/fixture.ts";
export type { Handle } from "./lib/http/api.ts";
export type { Level, Topic } from "./lib/http/case.ts";
export { type ConformanceCase, conformanceCases, ConformanceError } from "./lib/conformance.ts";
export type { ConformanceTarget } from "./lib/exchange.ts";

/** One case of the store contract. */
export interface StoreContractCase {
  /** The rest of a sentence that begins with "the store", such as `gives ascending ids, starting at 1`. */
  name: string;
  /**
   * The name of the guarantee that the case tests. The documentation of `PetStore` has the details.
   *
   * - `exactness`: a pet is returned exactly as it was given, as the text of formatPet() and
   *   formatPets().
   * - `paging`: a page has the pets after an id, in the order of ids, and tells whether more follow.
   * - `order`: ids start at 1, ascend in the order in which pets become visible, and none is given
   *   twice.
   * - `atomicity`: a pet is visible completely or not at all, and a create that fails leaves none.
   * - `durability`: a pet that was acknowledged is there after a restart.
   * - `concurrency`: after a create has resolved, each read that starts later sees the pet, on every
   *   server.
   * - `idempotency`: a request that is repeated creates one pet, and the pet and the request are
   *   stored together.
   * - `service`: a store tells whether it can serve, and finishes the work that has started before
   *   it closes.
   * - `keys`: each change of a key is atomic, and none undoes another.
   */
  guarantee: string;
  /** Why the case does not apply to this store; false if it does. A runner should show it. */
  skip: string | false;
  /** Rejects with the failed assertion if the store breaks the guarantee. */
  run(): Promise<void>;
}

/**
 * The cases of the store contract. Those that need a member which the store lacks are skipped: a
 * store is opened, to see. Run them one after the other within a process, because some of them
 * change the clock for a moment.
 */
export async function storeCases(fixture: StoreFixture): Promise<StoreContractCase[]> {
  const skipReason = await skipper(fixture);
  const all = [PET_CASES, CONCURRENCY_CASES, ONCE_CASES, RESTART_CASES, KEY_CASES];
  return all.flat().map(({ name, guarantee, needs, run }) => ({
    name,
    guarantee,
    skip: skipReason(needs),
    run: () => withNamespace(fixture, async (context) => await run(await context.open(), context)),
  }));
}
