/**
 * Opens a store, uses up the file descriptors of the process, creates two pets, gives the
 * descriptors back, and creates another pet.
 */

import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { openSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";

const store = openSqliteStore(process.argv[2], "always");
const pet = { name: "Rex", categoryId: 1n, status: "sold" };

// Deno makes a pipe for signals some time after the start, and ends the process if it cannot. With
// a listener, it is there now.
process.on("SIGUSR2", () => {});
const taken = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch (error) {
  if (error.code !== "EMFILE") throw error;
}
const ids = await Promise.all([store.create(pet), store.create(pet)]);
for (const descriptor of taken) closeSync(descriptor);
const created = store.create(pet);
// On the calling thread, a commit ends in the turn of the event loop in which it begins.
await new Promise((resolve) => setImmediate(resolve));
const thread = store.batch.unsettled === 1 ? "the thread" : "the calling thread";
console.log(`${ids}, and ${await created} by ${thread}`);
process.exit(0);
