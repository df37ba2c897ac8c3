/**
 * The program of a thread that opens a store, lets another program change a pet, and tells what the
 * store reads then.
 */

import { parentPort, workerData } from "node:worker_threads";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { execute } from "../../support/database.ts";

const { path } = workerData as { path: string };
const store = createSqliteStore(path, { writerThread: "never" });
const id = await store.create({ name: "Rex", categoryId: 7n, status: "available" });
// The store keeps the text of the pet now.
await store.get(id);
execute(path, "UPDATE pets SET name = 'changed'");
parentPort!.postMessage(await store.get(id));
await store.close();
