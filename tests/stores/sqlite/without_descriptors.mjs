/**
 * Opens a store, and uses up the file descriptors of the process. Two creates at once are then committed by the thread of the store. When
 * that has ended, the descriptors are used up again but for eight, and a new thread cannot be started. It leaves these eight to others.
 */

import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";

const store = SqliteStore.open(process.argv[2], "always");
const pet = { name: "Rex", categoryId: 1n, status: "sold" };
const createTwo = () => Promise.all([store.create(pet), store.create(pet)]);

function useUp() {
  const used = [];
  try {
    for (;;) used.push(openSync("/dev/null", "r"));
  } catch (error) {
    if (error.code !== "EMFILE") throw error;
  }
  return used;
}

// Deno makes a pipe for signals some time after the start, and ends the process if it cannot. With a listener, it is there now.
process.on("SIGUSR2", () => {});
const used = useUp();
console.log((await createTwo()).join());
await store.thread.terminate();
// What the thread had open is closed some time after its end.
for (let quiet = 0; quiet < 15; quiet++) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  if (useUp().length > 0) quiet = 0;
}
for (const descriptor of used.splice(-8)) closeSync(descriptor);
console.log(await createTwo().catch(({ message }) => message));
console.log(useUp().length);
process.exit(0);
