/** Shared set-up of the tests of the SQLite store. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { SqliteStore } from "../../../lib/stores/sqlite/store.ts";
import type { IdempotentRequest, PetDraft, PetPage, PetStore } from "../../../lib/stores/store.ts";
import { withTempFolder } from "../../support/temp.ts";

export const REX: PetDraft = { name: "Rex", categoryId: 9223372036854775807n, status: "sold" };

/** Where creates are committed. A thread would not have the mutants of its process. */
const WRITERS = "__stryker__" in globalThis ? ["same-thread"] as const : ["thread", "same-thread"] as const;

/** `deno test` starts a thread in half a second. So there, tests for which the writer makes no difference do without. */
const USUAL: typeof WRITERS[number] = "Deno" in globalThis ? "same-thread" : WRITERS[0];

let writer = USUAL;

/** Defines a test for each writer. {@link usingStore} and what builds on it then open stores with that writer. */
export function testWriters(name: string, run: () => void | Promise<void>, skip: string | false = false): void {
  for (const each of WRITERS) {
    const title = each === "thread" ? name : `${name}, without a thread`;
    test(skip ? `${title} (skipped: ${skip})` : title, { skip }, async () => {
      writer = each;
      try {
        return await run();
      } finally {
        writer = USUAL;
      }
    });
  }
}

/** Runs `use` with the path of a database file that does not exist yet. */
export function withPath(use: (path: string) => void | Promise<void>): Promise<void> {
  return withTempFolder((folder) => use(join(folder, "pets.db")));
}

/** Runs `use` with an empty store, and closes it. */
export function withStore(use: (store: SqliteStore, path: string) => void | Promise<void>): Promise<void> {
  return withPath((path) => usingStore(path, (store) => use(store, path)));
}

/** Opens a store, runs `use`, and closes the store. */
export async function usingStore<T>(path: string, use: (store: SqliteStore) => T | Promise<T>): Promise<T> {
  const store = SqliteStore.open(path, writer);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Runs `use` with an empty store and another connection to its file. */
export function withOther(
  use: (store: SqliteStore, other: DatabaseSync, path: string) => void | Promise<void>,
): Promise<void> {
  return withStore(async (store, path) => {
    const other = new DatabaseSync(path);
    try {
      await use(store, other, path);
    } finally {
      other.close();
    }
  });
}

/** Runs statements over a new connection. */
export function execute(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

/** Runs a query over a new connection. */
export function query(path: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all().map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

/**
 * Counts the commits in the write-ahead log. Only the last frame of a transaction states the size of the database, and only
 * valid frames have the salt of the header (https://sqlite.org/fileformat2.html#walformat).
 */
export function countCommits(path: string): number {
  const log = readFileSync(path + "-wal");
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  const frameSize = 24 + view.getUint32(8);
  let commits = 0;
  for (let frame = 32; frame + frameSize <= log.byteLength; frame += frameSize) {
    if (view.getUint32(frame + 4) !== 0 && view.getBigUint64(frame + 8) === view.getBigUint64(16)) commits++;
  }
  return commits;
}

/** Starts many creates together. */
export function createMany(store: PetStore, count: number, pet: PetDraft = REX): Promise<bigint[]> {
  return Promise.all(Array.from({ length: count }, () => store.create(pet)));
}

/** The ids of all pets, read page by page. */
export async function walk(store: PetStore, limit = 100): Promise<number[]> {
  const ids: number[] = [];
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const page: PetPage = await store.list({ after, limit });
    ids.push(...JSON.parse(page.json).map(({ id }: { id: number }) => id));
    after = page.next;
  }
  return ids;
}

/** A request to be remembered. */
export function request(key: string, retentionMs = 60_000): IdempotentRequest {
  return { key, fingerprint: "f", retentionMs };
}
