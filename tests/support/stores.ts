import { join } from "node:path";
import process from "node:process";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { SqliteStore } from "../../lib/stores/sqlite/store.ts";
import { createMemoryStore, type PetStore } from "../../mod.ts";
import { DRIVERS, whyNoPostgres, withPostgresStore } from "./postgres/postgres.ts";
import { withTempFolder } from "./temp.ts";

export interface StoreKind {
  name: string;
  isVariant?: boolean;
  /** The HTTP contract would show no difference. */
  isForStoreContract?: boolean;
  use<T>(run: (store: PetStore) => T | Promise<T>): Promise<T>;
}

export const STORE_KINDS: readonly StoreKind[] = [
  { name: "memory", use: async (run) => await run(createMemoryStore()) },
  sqliteKind("SQLite", (path) => createSqliteStore(path)),
  // On Node and Bun only, because `deno test` starts a thread in half a second.
  ...("Deno" in globalThis ? [] : [threadKind()]),
  {
    ...sqliteKind("SQLite without a thread", (path) => createSqliteStore(path, { writer: "same-thread" })),
    ...{ isVariant: true, isForStoreContract: true },
  },
  ...postgresKinds(),
];

function threadKind(): StoreKind {
  const kind = sqliteKind("SQLite with its thread", async (path) => {
    const store = new SqliteStore(path, "thread");
    await store.startWriter();
    return store;
  });
  return { ...kind, isVariant: true, isForStoreContract: true };
}

function sqliteKind(name: string, open: (path: string) => PetStore | Promise<PetStore>): StoreKind {
  return {
    name,
    use: (run) =>
      withTempFolder(async (folder) => {
        const store = await open(join(folder, "pets.db"));
        try {
          return await run(store);
        } finally {
          await store.close();
        }
      }),
  };
}

/** One for each driver, on Deno; tests/faults/postgres covers the other runtimes. */
function postgresKinds(): StoreKind[] {
  const isWanted = "Deno" in globalThis || process.env["PETSTORE_TEST_POSTGRES"] !== undefined;
  if (!isWanted || whyNoPostgres()) return [];
  return DRIVERS.map((driver, i) => ({
    name: `PostgreSQL (${driver.name})`,
    isVariant: i > 0,
    use: (run) => withPostgresStore(driver, run),
  }));
}
