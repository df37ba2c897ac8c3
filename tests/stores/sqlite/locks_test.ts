/**
 * SQLite's locks on the file of an open store. While they exist, another program that opens and closes the file keeps its
 * log. Without them, it would take itself for the last user and delete the log.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import type { PetStore } from "../../../lib/stores/store.ts";
import { createMany, execute, query, REX, test } from "./support.ts";

/** Adds pets in several transactions. */
async function fill(store: PetStore): Promise<void> {
  for (let round = 0; round < 4; round++) await createMany(store, 64);
}

const STORE_IN_WORKER = new URL("./store_in_worker.ts", import.meta.url);

/** What makes a process lose the locks of a store, because the system gives up all locks on a file that the process closes. */
async function disturb(store: PetStore, path: string): Promise<void> {
  await createSqliteStore(path).close();
  for (const closes of [true, false]) await once(new Worker(STORE_IN_WORKER, { workerData: { path, closes } }), "exit");
  for (const options of [{}, { readOnly: true }]) {
    const own = new DatabaseSync(path, options);
    own.prepare("SELECT count(*) FROM pets").get();
    own.close();
  }
  const link = join(path, "..", "link.db");
  symlinkSync(path, link);
  await createSqliteStore(link).close();
  execute(path, "PRAGMA wal_checkpoint");
  store.check();
}

test.eachStore(
  "a file that other stores, connections and programs open and close keeps its log, and no acknowledged pet is lost",
  async (store, path) => {
    await fill(store);
    await disturb(store, path);
    const inode = statSync(`${path}-wal`).ino;
    for (const sql of ["SELECT 1", "PRAGMA quick_check", "PRAGMA wal_checkpoint(TRUNCATE)"]) {
      await runElsewhere(path, sql);
      assert.equal(statSync(`${path}-wal`).ino, inode, `the log was deleted after ${sql}`);
      const id = await store.create({ ...REX, name: sql });
      assert.deepEqual(query(path, `SELECT name FROM pets WHERE id = ${id}`), [{ name: sql }]);
    }
  },
);

test.eachOther("a create that gets no lock is refused in the end, and the next one is stored", async (store, other) => {
  await store.create(REX);
  other.exec("BEGIN IMMEDIATE");
  const refused = store.create(REX).then(() => "stored", ({ message }) => message);
  assert.match(
    await Promise.race([refused, pause(20_000, "no answer", { ref: false })]),
    /is locked by another process/,
  );
  other.exec("ROLLBACK");
  assert.equal(await store.create(REX), 2n);
});

/** Runs a statement in another process of this runtime, which opens and closes the file. */
async function runElsewhere(path: string, sql: string): Promise<void> {
  const code = `const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(${JSON.stringify(path)});
    db.prepare(${JSON.stringify(sql)}).all();
    db.close();`;
  const flags = process.versions["deno"] ? ["eval", "--no-config"] : ["--eval"];
  await promisify(execFile)(process.execPath, [...flags, code]);
}
