import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createKvStore } from "../../lib/stores/kv/kv_store.ts";
import { createPostgresStore } from "../../lib/stores/postgres/postgres_store.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { SqliteStore } from "../../lib/stores/sqlite/store.ts";
import { withNamespace } from "../../lib/testing/namespace.ts";
import type { StoreFixture } from "../../lib/testing/fixture.ts";
import { createMemoryStore, type PetStore } from "../../mod.ts";
import { openTestKv, type TestKv } from "./kv.ts";
import { type DriverKind, DRIVERS, GIVEN, postgresUrl, runSql, whyNoPostgres } from "./postgres/postgres.ts";

export interface StoreKind extends StoreFixture {
  name: string;
  isVariant?: boolean;
  /** The HTTP contract need not run on it, because it would show no difference. */
  isForStoreContract?: boolean;
}

export const STORE_KINDS: readonly StoreKind[] = [
  { name: "memory", open: () => createMemoryStore(), sharing: "none", unsupported: ["checkWrites"] },
  sqliteKind("SQLite", (path) => createSqliteStore(path)),
  // On Node and Bun only, because `deno test` starts a thread in half a second.
  ...("Deno" in globalThis ? [] : [threadKind()]),
  {
    ...sqliteKind("SQLite without a thread", (path) => createSqliteStore(path, { writer: "same-thread" })),
    ...{ isVariant: true, isForStoreContract: true },
  },
  ...postgresKinds(),
  ...kvKinds(),
];

/** Runs `use` with an empty store. */
export function withStore<T>(kind: StoreKind, use: (store: PetStore) => Promise<T>): Promise<T> {
  return withNamespace(kind, async ({ open }) => await use(await open()));
}

function threadKind(): StoreKind {
  const kind = sqliteKind("SQLite with its thread", async (path) => {
    const store = SqliteStore.open(path, "thread");
    await store.startWriter();
    return store;
  });
  return { ...kind, isVariant: true, isForStoreContract: true };
}

function sqliteKind(name: string, open: (path: string) => PetStore | Promise<PetStore>): StoreKind {
  /** The folders of a namespace, the latest last. */
  const folders = new Map<string, string[]>();
  const newFolder = (namespace: string) => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-"));
    folders.set(namespace, [...folders.get(namespace) ?? [], folder]);
    return folder;
  };
  return {
    name,
    sharing: "one machine",
    open: (namespace) => open(join(folders.get(namespace)?.at(-1) ?? newFolder(namespace), "pets.db")),
    /** Continues with a copy of the files as a loss of power would leave them. Another process copies them: see docs/stores.md, Locks. */
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

/** On Deno, with the driver of the server; tests/runtimes has the other runtimes. */
function postgresKinds(): StoreKind[] {
  if (GIVEN === undefined && (!("Deno" in globalThis) || whyNoPostgres())) return [];
  const drivers = GIVEN === undefined ? DRIVERS.slice(-1) : DRIVERS;
  return drivers.map((driver, i) => postgresKind(driver, i > 0));
}

/** On Deno; tests/faults/kv covers the other runtimes. */
function kvKinds(): StoreKind[] {
  if (!("Deno" in globalThis) && process.env["PETSTORE_TEST_KV"] === undefined) return [];
  const inMemory: StoreKind = {
    name: "Deno KV in memory",
    open: async () => createKvStore(await openTestKv(":memory:")),
    sharing: "none",
    ...{ unsupported: ["changes"], isVariant: true, isForStoreContract: true },
  };
  return [kvKind(), inMemory];
}

/** Each store opens its own KV, as each server does. */
function kvKind(): StoreKind {
  const namespaces = new Map<string, { folder: string; opened: Set<TestKv> }>();
  const crash = (namespace: string) => {
    const { opened } = namespaces.get(namespace)!;
    for (const kv of opened) kv.close();
    opened.clear();
  };
  return {
    name: "Deno KV",
    isVariant: true,
    sharing: "one machine",
    unsupported: ["changes"],
    async open(namespace) {
      const { folder, opened } = namespaces.get(namespace) ??
        { folder: mkdtempSync(join(tmpdir(), "petstore-")), opened: new Set<TestKv>() };
      namespaces.set(namespace, { folder, opened });
      const kv = await openTestKv(join(folder, "kv"));
      opened.add(kv);
      return createKvStore(kv);
    },
    // Ends the calls that are in flight.
    crash,
    remove(namespace) {
      if (!namespaces.has(namespace)) return;
      crash(namespace);
      rmSync(namespaces.get(namespace)!.folder, { recursive: true });
      namespaces.delete(namespace);
    },
  };
}

function postgresKind(driver: DriverKind, isVariant: boolean): StoreKind {
  return {
    name: `PostgreSQL (${driver.name})`,
    isVariant,
    sharing: "many machines",
    unsupported: ["changes"],
    async open(namespace) {
      const url = await postgresUrl();
      const prepare = !url.includes("prepare=false");
      return await createPostgresStore(() => driver.connect(url, namespace), { schema: namespace, prepare });
    },
    async crash(namespace) {
      const ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = ";
      await runSql(await postgresUrl(), `${ended}'${namespace}'`);
    },
    async remove(namespace) {
      if (GIVEN) await runSql(GIVEN, `DROP SCHEMA IF EXISTS "${namespace}" CASCADE`);
    },
  };
}
