import { join } from "node:path";
import process from "node:process";
import { SqliteStore } from "../../lib/stores/sqlite/store.ts";
import { createMemoryStore, type PetStore } from "../../mod.ts";
import { DRIVERS, whyNoPostgres, withPostgresStore } from "./postgres/postgres.ts";
import { withTempFolder } from "./temp.ts";

export interface StoreKind {
  name: string;
  isVariant?: boolean;
  use<T>(run: (store: PetStore) => T | Promise<T>): Promise<T>;
}

export const STORE_KINDS: readonly StoreKind[] = [
  { name: "memory", use: async (run) => await run(createMemoryStore()) },
  sqliteKind("SQLite", "thread"),
  { ...sqliteKind("SQLite without a thread", "same-thread"), isVariant: true },
  ...postgresKinds(),
];

function sqliteKind(name: string, writer: "thread" | "same-thread"): StoreKind {
  return {
    name,
    use: (run) =>
      withTempFolder(async (folder) => {
        const store = new SqliteStore(join(folder, "pets.db"), writer);
        try {
          await store.startWriter();
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
