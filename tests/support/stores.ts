/** Every store there is, for the contracts that every store must pass. */

import { join } from "node:path";
import { createSqliteStore } from "../../lib/stores/sqlite.ts";
import { createMemoryStore, type PetStore } from "../../mod.ts";
import { DRIVERS, whyNoPostgres, withPostgresStore } from "./postgres.ts";
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

/** One for each driver on Deno, where most tests are run; that there is none, tests/deno/postgres_order_test.ts says. */
function postgresKinds(): StoreKind[] {
  if (whyNoPostgres()) return [];
  const drivers = "Deno" in globalThis ? DRIVERS : DRIVERS.slice(0, 1);
  return drivers.map((driver, i) => ({
    name: `PostgreSQL (${driver.name})`,
    isVariant: i > 0,
    use: (run) => withPostgresStore(driver, run),
  }));
}
