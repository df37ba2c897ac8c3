import { join } from "node:path";
import process from "node:process";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
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
  {
    name: "SQLite",
    use: (run) =>
      withTempFolder(async (folder) => {
        const store = createSqliteStore(join(folder, "pets.db"));
        try {
          return await run(store);
        } finally {
          await store.close();
        }
      }),
  },
  ...postgresKinds(),
];

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
