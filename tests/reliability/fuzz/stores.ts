/** The stores whose responses must not differ: those of the tests, and SQLite without a file. */

import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { STORE_KINDS, type StoreKind } from "../../support/stores.ts";

const SQLITE_IN_MEMORY: StoreKind = {
  name: "SQLite without a file",
  sharing: "none",
  open: () => createSqliteStore(":memory:"),
};

export const FUZZED_STORES: readonly StoreKind[] = [
  ...STORE_KINDS.filter(({ isVariant }) => !isVariant),
  SQLITE_IN_MEMORY,
];
