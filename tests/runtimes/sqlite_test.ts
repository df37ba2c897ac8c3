/** The store contract on SQLite with the thread that commits, on Deno. On Node and Bun, portable_test.ts has it. */

import { testStoreContract } from "../contract/contracts.ts";
import { SQLITE_THREAD } from "../support/stores.ts";

testStoreContract([SQLITE_THREAD]);
