/** The store that docs/stores.md links keeps the contract. Deno only. */

import { sqliteKind } from "../support/stores.ts";
import { testStoreContract } from "./contracts.ts";
import { createMyStore } from "./my_store.ts";

await testStoreContract([{
  ...sqliteKind("documented", createMyStore),
  lacks: ["changes", "checkWrites", "keys"],
}]);
