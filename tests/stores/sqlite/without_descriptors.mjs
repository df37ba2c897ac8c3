/**
 * Opens a store, and uses up the file descriptors of the process. Two creates at once are then committed by the thread of the store. When
 * that has ended, the descriptors are used up again, and a new thread cannot be started.
 */

import { openSync } from "node:fs";
import process from "node:process";
import { SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";

const store = new SqliteStore(process.argv[2], "always");
const pet = { name: "Rex", categoryId: 1n, status: "sold" };
const createTwo = () => Promise.all([store.create(pet), store.create(pet)]);

/** Returns how many were free. */
function useUp() {
  for (let count = 0;; count++) {
    try {
      openSync("/dev/null", "r");
    } catch (error) {
      if (error.code !== "EMFILE") throw error;
      return count;
    }
  }
}

// Deno makes a pipe for signals some time after the start, and ends the process if it cannot. With a listener, it is there now.
process.on("SIGUSR2", () => {});
useUp();
console.log((await createTwo()).join());
await store.thread.terminate();
// What the thread had open is closed some time after its end.
for (let quiet = 0; quiet < 15; quiet++) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  if (useUp() > 0) quiet = 0;
}
console.log(await createTwo().catch(({ message }) => message));
process.exit(0);
