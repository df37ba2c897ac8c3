/** Opens a store, uses up the file descriptors of the process, and creates two pets at once, which the thread of the store commits. */

import { openSync } from "node:fs";
import process from "node:process";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";

const store = createSqliteStore(process.argv[2], { writerThread: "always" });
try {
  for (;;) openSync("/dev/null", "r");
} catch (error) {
  if (error.code !== "EMFILE") throw error;
}
const pet = { name: "Rex", categoryId: 1n, status: "sold" };
const ids = await Promise.all([store.create(pet), store.create(pet)]);
console.log(ids.join());
process.exit(0);
