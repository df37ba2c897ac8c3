/** The program of a thread that opens a store, adds a pet, and ends with or without closing the store. */

import process from "node:process";
import { workerData } from "node:worker_threads";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";

const { path, closes } = workerData as { path: string; closes: boolean };
const store = createSqliteStore(path, { writerThread: "never" });
await store.create({ name: "Rex", categoryId: 7n, status: "available" });
if (closes) await store.close();
process.exit();
