import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openOnOwnPool } from "../../packages/postgres/lib/own_pool.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/create_sqlite_store.ts";
import { type StoreFixture, withNamespace } from "../../packages/conformance/lib/fixture.ts";
import { createMemoryStore } from "../../mod.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { connect, GIVEN, postgresUrl, runSql } from "./postgres/postgres.ts";

export interface StoreKind extends StoreFixture {
  name: string;
  /** The optional members of a store that this one does not have. The cases that need another member must run. */
  lacks?: readonly (keyof PetStore)[];
  /** Another way to open the same store. The HTTP contract would show nothing new on it. */
  isVariant?: boolean;
}

export const MEMORY: StoreKind = {
  name: "memory",
  open: () => createMemoryStore(),
  sharing: "none",
  lacks: ["checkWrites"],
};

const SQLITE: StoreKind = sqliteKind("SQLite", (path) => createSqliteStore(path, { writerThread: "never" }));

const SQLITE_THREAD: StoreKind = {
  ...sqliteKind("SQLite with its thread", (path) => createSqliteStore(path, { writerThread: "always" })),
  isVariant: true,
};

/**
 * The stores of the everyday tests, and a given PostgreSQL. packages/edge, tests/heavy/edge and
 * tests/heavy/runtimes have the others.
 */
export const STORE_KINDS: readonly StoreKind[] = [
  MEMORY,
  SQLITE,
  SQLITE_THREAD,
  ...(GIVEN === undefined ? [] : [postgresKind()]),
];

export const POSTGRES: StoreKind = postgresKind();

/** Runs `use` with an empty store. */
export function withStore<T>(kind: StoreKind, use: (store: PetStore) => Promise<T>): Promise<T> {
  return withNamespace(kind, async ({ open }) => await use(await open()));
}

/** Stores on a file. */
export function sqliteKind(name: string, open: (path: string) => PetStore | Promise<PetStore>): StoreKind {
  /** The folders of a namespace, the latest last. */
  const folders = new Map<string, string[]>();
  const newFolder = (namespace: string) => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-"));
    folders.set(namespace, [...folders.get(namespace) ?? [], folder]);
    return folder;
  };
  return {
    name,
    sharing: "machine",
    open: (namespace) => open(join(folders.get(namespace)?.at(-1) ?? newFolder(namespace), "pets.db")),
    /**
     * Continues with a copy of the files as a loss of power would leave them. Another process
     * copies them: see docs/stores.md, Locks.
     */
    crash(namespace) {
      const before = folders.get(namespace)!.at(-1)!;
      // The index of the log is left out, because only running processes use it.
      const files = readdirSync(before).filter((file) => !file.endsWith("-shm")).map((file) => join(before, file));
      const { status, stderr } = spawnSync("cp", [...files, newFolder(namespace)], { encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
    },
    remove(namespace) {
      for (const folder of folders.get(namespace) ?? []) if (existsSync(folder)) rmSync(folder, { recursive: true });
      folders.delete(namespace);
    },
  };
}

function postgresKind(): StoreKind {
  return {
    name: "PostgreSQL",
    sharing: "machines",
    lacks: ["changes"],
    async open(namespace) {
      const url = await postgresUrl();
      const prepare = !url.includes("prepare=false");
      const pool = connect(url, namespace);
      return await openOnOwnPool(pool, { schema: namespace, prepare });
    },
    async crash(namespace) {
      const ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = ";
      await runSql(await postgresUrl(), `${ended}'${namespace}' AND pid <> pg_backend_pid()`);
    },
    async remove(namespace) {
      if (GIVEN) await runSql(GIVEN, `DROP SCHEMA IF EXISTS "${namespace}" CASCADE`);
    },
  };
}
