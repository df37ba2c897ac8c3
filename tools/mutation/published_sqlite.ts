/** The published cases of the store contract, and no other test, on SQLite. A thread would not have the mutants of this one. */

import test from "node:test";
import { storeCases } from "../../lib/testing/testing.ts";
import { SQLITE } from "../../tests/support/stores.ts";

for (const { name, skip, run } of await storeCases(SQLITE)) test(`the store ${name}`, { skip }, run);
