/**
 * Keeps pets in an SQLite file, through the module `node:sqlite` of Deno, Node or Bun.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createPetstore } from "@petstore/petstore";
 * import { createSqliteStore } from "@petstore/petstore/sqlite";
 *
 * const store = createSqliteStore(":memory:"); // or a path, such as "data/petstore.db"
 * const { handle } = createPetstore({ store, keys: ["pk_example"] });
 * const response = await handle(
 *   new Request("http://localhost/v1/pets", { headers: { authorization: "Bearer pk_example" } }),
 * );
 * assert.equal(response.status, 200);
 * await store.close();
 * ```
 *
 * @module
 */

import { checkAll, type Checks, oneOf } from "../../option_checks.ts";
import type { KeyedPetStore } from "../store.ts";
import { openSqliteStore } from "./sqlite_store.ts";

/** Options of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /**
   * When creates are committed on a thread of their own, so that reads do not wait for the disk.
   * With `"auto"`, the default, a create that is alone is committed on the calling thread while
   * commits take less than 2 ms. Where no thread can be started, as in a bundle, the calling thread
   * commits.
   */
  writerThread?: "auto" | "always" | "never";
}

/**
 * Opens or creates an SQLite database.
 *
 * A create resolves when it is on disk (write-ahead log, `synchronous = FULL`). Creates that arrive
 * together share one transaction; at most 10,000 wait, and more are refused. Reads return without a
 * promise. Several processes may use one file: a create waits up to 1 second for another's lock.
 *
 * @param path The path of the file, in a folder that exists, or `:memory:`. A `file:` or `sqlite:`
 * address is not accepted.
 * @returns The open store. Closing it commits the creates that wait.
 * @throws {TypeError} If `path` is not a path, or an option is invalid.
 * @throws {StoreUnavailableError} If the file belongs to another program, needs a later release, is
 * locked or corrupt, or cannot be opened or written. It is then unchanged.
 */
export function createSqliteStore(path: string, options: SqliteStoreOptions = {}): KeyedPetStore {
  const { writerThread } = checkAll(CHECKS, options);
  return openSqliteStore(path, writerThread);
}

const CHECKS: Checks<SqliteStoreOptions, Required<SqliteStoreOptions>> = {
  writerThread: oneOf(["auto", "always", "never"], "auto"),
};
