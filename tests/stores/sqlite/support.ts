/** Shared set-up of the tests of the SQLite store. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SqliteStore } from "../../../lib/stores/sqlite/store.ts";
import type { IdempotentRequest, PetDraft, PetPage, PetStore } from "../../../mod.ts";
import { withTempFolder } from "../../support/temp.ts";

export const REX: PetDraft = { name: "Rex", categoryId: 9223372036854775807n, status: "sold" };

/** Runs `use` with the path of a database file that does not exist yet. */
export function withPath(use: (path: string) => void | Promise<void>): Promise<void> {
  return withTempFolder((folder) => use(join(folder, "pets.db")));
}

/** Runs `use` with an empty store, and closes it. */
export function withStore(use: (store: PetStore, path: string) => void | Promise<void>): Promise<void> {
  return withPath((path) => usingStore(path, (store) => use(store, path)));
}

/** Opens a store, runs `use`, and closes the store. */
export async function usingStore<T>(path: string, use: (store: PetStore) => T | Promise<T>): Promise<T> {
  const store = new SqliteStore(path, "thread");
  await store.startWriter();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Runs `use` with an empty store and another connection to its file. */
export function withOther(
  use: (store: PetStore, other: DatabaseSync, path: string) => void | Promise<void>,
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
