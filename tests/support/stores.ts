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
  /** The HTTP contract would show no difference. */
  isForStoreContract?: boolean;
}

export const STORE_KINDS: readonly StoreKind[] = [
  { name: "memory", open: () => createMemoryStore(), sharing: "none", lacks: ["checkWrites"] },
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

/** Hands over an empty store. */
export function withStore<T>(kind: StoreKind, use: (store: PetStore) => Promise<T>): Promise<T> {
  return withNamespace(kind, async ({ open }) => await use(await open()));
}

function threadKind(): StoreKind {
  const kind = sqliteKind("SQLite with its thread", async (path) => {
    const store = new SqliteStore(path, "thread");
    await store.startWriter();
    return store;
  });
  return { ...kind, isVariant: true, isForStoreContract: true };
}

function sqliteKind(name: string, open: (path: string) => PetStore | Promise<PetStore>): StoreKind {
  /** The folders of a place, the latest last. */
  const folders = new Map<string, string[]>();
  const newFolder = (place: string) => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-"));
    folders.set(place, [...folders.get(place) ?? [], folder]);
    return folder;
  };
  return {
    name,
    sharing: "one machine",
    open: (place) => open(join(folders.get(place)?.at(-1) ?? newFolder(place), "pets.db")),
    /** Goes on with the files as a loss of power would leave them, which another process copies: see docs/stores.md, Locks. */
    crash(place) {
      const before = folders.get(place)!.at(-1)!;
      // Without the index of the log, which is only for processes that are running.
      const files = readdirSync(before).filter((file) => !file.endsWith("-shm")).map((file) => join(before, file));
      const { status, stderr } = spawnSync("cp", [...files, newFolder(place)], { encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
    },
    remove(place) {
      for (const folder of folders.get(place) ?? []) if (existsSync(folder)) rmSync(folder, { recursive: true });
      folders.delete(place);
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
    ...{ lacks: ["changes"], isVariant: true, isForStoreContract: true },
  };
  return [kvKind(), inMemory];
}

/** Each store has a KV of its own, as each server has. */
function kvKind(): StoreKind {
  const places = new Map<string, { folder: string; opened: Set<TestKv> }>();
  const crash = (place: string) => {
    const { opened } = places.get(place)!;
    for (const kv of opened) kv.close();
    opened.clear();
  };
  return {
    name: "Deno KV",
    isVariant: true,
    sharing: "one machine",
    lacks: ["changes"],
    async open(place) {
      const { folder, opened } = places.get(place) ??
        { folder: mkdtempSync(join(tmpdir(), "petstore-")), opened: new Set<TestKv>() };
      places.set(place, { folder, opened });
      const kv = await openTestKv(join(folder, "kv"));
      opened.add(kv);
      return createKvStore(kv);
    },
    // Ends what is under way.
    crash,
    remove(place) {
      if (!places.has(place)) return;
      crash(place);
      rmSync(places.get(place)!.folder, { recursive: true });
      places.delete(place);
    },
  };
}

function postgresKind(driver: DriverKind, isVariant: boolean): StoreKind {
  return {
    name: `PostgreSQL (${driver.name})`,
    isVariant,
    sharing: "many machines",
    lacks: ["changes"],
    async open(place) {
      const url = await postgresUrl();
      const prepare = !url.includes("prepare=false");
      return await createPostgresStore(() => driver.connect(url, place), { schema: place, prepare });
    },
    async crash(place) {
      const ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = ";
      await runSql(await postgresUrl(), `${ended}'${place}'`);
    },
    async remove(place) {
      if (GIVEN) await runSql(GIVEN, `DROP SCHEMA IF EXISTS "${place}" CASCADE`);
    },
  };
}
