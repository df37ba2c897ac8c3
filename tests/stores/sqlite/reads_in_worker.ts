/** The program of a thread that opens a store, lets another connection add a trigger, and tells what it reads after a create. */

import { parentPort, workerData } from "node:worker_threads";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { execute } from "../../support/database.ts";

const { path, trigger } = workerData as { path: string; trigger: string };
const store = createSqliteStore(path, { writerThread: "never" });
const pet = { name: "Rex", categoryId: 7n, status: "available" } as const;
const id = await store.create(pet);
execute(path, `CREATE TRIGGER strange ${trigger}`);
// The store keeps the text of the pet now.
await store.get(id);
await store.createOnce!(pet, { key: "k", fingerprint: "f", retentionMs: 60_000 });
const seen = await store.get(id);
await store.close();
parentPort!.postMessage(seen);
