/**
 * The program of a thread that opens a store, adds a pet, lets another program change its name, and
 * tells what the store reads then. It ends with or without closing the store.
 */

import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { execute } from "../../support/database.ts";

const { path, closes } = workerData as { path: string; closes: boolean };
const store = createSqliteStore(path, { writerThread: "never" });
const id = await store.create({ name: "Rex", categoryId: 7n, status: "available" });
// The store keeps the text of the pet now.
await store.get(id);
execute(path, `UPDATE pets SET name = 'changed' WHERE id = ${id}`);
parentPort!.postMessage(await store.get(id));
if (closes) await store.close();
process.exit();
