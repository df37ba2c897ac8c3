/**
 * Opens a store, and uses up the file descriptors of the process. Two creates at once are then committed by the thread of the store. When
 * that has ended, the descriptors are used up again, and a new thread cannot be started.
 */

import { openSync } from "node:fs";
import process from "node:process";
import { SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";

const store = SqliteStore.open(process.argv[2], "always");
const pet = { name: "Rex", categoryId: 1n, status: "sold" };
const createTwo = () => Promise.all([store.create(pet), store.create(pet)]);

function useUp() {
  try {
    for (;;) openSync("/dev/null", "r");
  } catch (error) {
    if (error.code !== "EMFILE") throw error;
  }
}

useUp();
console.log((await createTwo()).join());
await store.thread.terminate();
// What the thread had open is closed some time after its end.
for (let pause = 0; pause < 10; pause++) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  useUp();
}
console.log(await createTwo().catch(({ message }) => message));
process.exit(0);
