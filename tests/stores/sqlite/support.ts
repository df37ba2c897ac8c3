/** Shared set-up of the tests of the SQLite store. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { openSqliteStore, type SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { type PetDraft, type PetStore, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { request } from "../../../packages/conformance/lib/store/case.ts";
import { keyOf } from "../../../packages/conformance/lib/store/keys.ts";
import { execute, query } from "../../support/database.ts";
import { type Define, testUnless, testWith } from "../../support/test_with.ts";
import { IN_MEMORY, withTempFolder } from "../../support/temp.ts";

export { execute, keyOf, query, request };

export const REX: PetDraft = { name: "Rex", categoryId: 9223372036854775807n, status: "sold" };

/** Where creates are committed. */
const WRITER_THREADS = ["always", "never"] as const;

/**
 * `deno test` starts a thread in half a second. So there, tests for which the writer makes no
 * difference do without.
 */
const USUAL: typeof WRITER_THREADS[number] = "Deno" in globalThis ? "never" : WRITER_THREADS[0];

let writer = USUAL;

const usual = testUnless(false);

/** Defines a test for each writer. {@link usingStore} and what builds on it then open stores with that writer. */
const each: Define = (name, run) => {
  for (const one of WRITER_THREADS) {
    usual(one === "always" ? name : `${name}, without a thread`, async (t) => {
      writer = one;
      try {
        await run(t);
      } finally {
        writer = USUAL;
      }
    });
  }
};

/**
 * Tests that get a path, or an empty store, another connection to its file, and its path, once or
 * for each writer.
 */
export const test = Object.assign(usual, {
  path: testWith(withPath),
  store: testWith(withStore),
  eachPath: testWith(withPath, each),
  eachStore: testWith(withStore, each),
});

/** Runs `use` with the path of a database file that does not exist yet, where a commit is short. */
export function withPath(use: (path: string) => void | Promise<void>): Promise<void> {
  return withTempFolder((folder) => use(join(folder, "pets.db")), IN_MEMORY);
}

function withStore(
  use: (store: SqliteStore, other: DatabaseSync, path: string) => void | Promise<void>,
): Promise<void> {
  return withPath((path) =>
    usingStore(path, async (store) => {
      const other = new DatabaseSync(path);
      try {
        await use(store, other, path);
      } finally {
        other.close();
      }
    })
  );
}

/** Opens a store, runs `use`, and closes the store. */
export async function usingStore<T>(path: string, use: (store: SqliteStore) => T | Promise<T>): Promise<T> {
  const store = openSqliteStore(path, writer);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/**
 * The files in the folder of a database that this process has open, by the names of their ends.
 * Undefined where no system tells.
 */
export function openFiles(path: string): string[] | undefined {
  if (!existsSync("/proc/self/fd")) return undefined;
  const targets = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return "";
    }
  });
  return targets.filter((target) => target.startsWith(path)).toSorted();
}

/** Asserts that a store refuses a file, in one line that begins with its name. */
export function assertRefused(path: string, message: RegExp): void {
  assert.throws(() => createSqliteStore(path), (error) => {
    assert(error instanceof StoreUnavailableError, String(error));
    assert(error.message.startsWith(`${path} `), error.message);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
}

/** Starts many creates together. */
export function createMany(store: PetStore, count: number, pet: PetDraft = REX): Promise<bigint[]> {
  return Promise.all(Array.from({ length: count }, () => store.create(pet)));
}
