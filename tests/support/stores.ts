/** Every store there is, for the contracts that every store must pass. */

import { join } from "node:path";
import process from "node:process";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { createMemoryStore, type PetStore } from "../../mod.ts";
import { DRIVERS, whyNoPostgres, withPostgresStore } from "./postgres/postgres.ts";
import { withTempFolder } from "./temp.ts";

/** A kind of store, and how a test gets an empty one. */
export interface StoreKind {
  name: string;
  /** The same store with another driver: one host is enough for it. */
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

/**
 * One for each driver, on Deno, where most tests are run; tests/faults/postgres runs the store contract on other runtimes.
 * tests/postgres/schema_test.ts says when there is no PostgreSQL.
 */
function postgresKinds(): StoreKind[] {
  const isWanted = "Deno" in globalThis || process.env["PETSTORE_TEST_POSTGRES"] !== undefined;
  if (!isWanted || whyNoPostgres()) return [];
  return DRIVERS.map((driver, i) => ({
    name: `PostgreSQL (${driver.name})`,
    isVariant: i > 0,
    use: (run) => withPostgresStore(driver, run),
  }));
}
