/** Opens a store, uses up the file descriptors of the process, and lets the thread of the store commit two creates. */

import { openSync } from "node:fs";
import process from "node:process";
import { openSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";

const store = openSqliteStore(process.argv[2], "always");
const pet = { name: "Rex", categoryId: 1n, status: "sold" };

// Deno makes a pipe for signals some time after the start, and ends the process if it cannot. With a listener, it is there now.
process.on("SIGUSR2", () => {});
try {
  for (;;) openSync("/dev/null", "r");
} catch (error) {
  if (error.code !== "EMFILE") throw error;
}
console.log((await Promise.all([store.create(pet), store.create(pet)])).join());
process.exit(0);
