/**
 * SQLite's locks, and what they rely on. While a store has its locks, another program that opens
 * and closes the file keeps its log. Without them, it would take itself for the last user and
 * delete the log. The system gives up all locks on a file that the process closes.
 */

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { devNull } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { inspectDatabase, openSnapshot } from "../../../lib/stores/sqlite/inspection.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { createMany, openFiles, query, REX, test, usingStore } from "./support.ts";

const STORE_IN_WORKER = new URL("./store_in_worker.ts", import.meta.url);

/** Opens and closes the file within this process, in each way that a program has. */
async function disturb(path: string): Promise<void> {
  await createSqliteStore(path).close();
  await inspectDatabase(path);
  for (const closes of [true, false]) await once(new Worker(STORE_IN_WORKER, { workerData: { path, closes } }), "exit");
  query(path, "SELECT count(*) FROM pets");
}

/** Runs a statement in another process of this runtime, which opens and closes the file. */
async function runElsewhere(path: string, sql: string): Promise<void> {
  const code = `const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(${JSON.stringify(path)});
    db.prepare(${JSON.stringify(sql)}).all();
    db.close();`;
  const flags = process.versions["deno"] ? ["eval", "--no-config"] : ["--eval"];
  await promisify(execFile)(process.execPath, [...flags, code]);
}

test.eachStore(
  "a file that other stores, connections and programs open and close keeps its log, and no acknowledged pet is lost",
  async (store, _other, path) => {
    for (let round = 0; round < 4; round++) await createMany(store, 64);
    await disturb(path);
    const inode = statSync(`${path}-wal`).ino;
    for (const sql of ["SELECT 1", "PRAGMA wal_checkpoint(TRUNCATE)"]) {
      await runElsewhere(path, sql);
      assert.equal(statSync(`${path}-wal`).ino, inode, `the log was deleted after ${sql}`);
      const id = await store.create({ ...REX, name: sql });
      assert.deepEqual(query(path, `SELECT name FROM pets WHERE id = ${id}`), [{ name: sql }]);
    }
  },
);

test.eachStore(
  "while another connection has the write lock, creates wait for it and reads continue",
  async (store, other) => {
    // If a thread writes, it starts now, and not while the lock is held.
    await store.create(REX);
    other.exec("BEGIN IMMEDIATE");
    const creates = createMany(store, 600);
    // Timers fire and reads are answered meanwhile: SQLite's own way to wait would stop both.
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      assert.deepEqual(store.list({ after: 1n, limit: 1 }), { json: "[]" });
    }
    other.exec("COMMIT");
    assert.equal((await creates).at(-1), 601n);
  },
);

test.eachStore("a create that gets no lock is refused in the end, and the next one is stored", async (store, other) => {
  await store.create(REX);
  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(store.create(REX), /is locked by another process/);
  other.exec("ROLLBACK");
  assert.equal(await store.create(REX), 2n);
});

test.eachPath("after the last store of a file has been closed, no descriptor is open", async (path) => {
  const before = openFiles(devNull);
  for (let round = 0; round < 2; round++) {
    await usingStore(path, (first) =>
      usingStore(path, async (second) => {
        const id = await first.create(REX);
        await first.close();
        assert.notEqual(second.get(id), undefined);
      }));
    assert.deepEqual([openFiles(path) ?? [], openFiles(devNull)], [[], before]);
  }
});

const WITHOUT_DESCRIPTORS = fileURLToPath(new URL("without_descriptors.mjs", import.meta.url));

/** Opens 200 files at most. */
const LIMITED = ["-c", 'ulimit -n 200 && exec "$0" "$@"', process.execPath];

test.path("creates are stored although clients have taken all descriptors, and the thread starts when some are free", (path) => {
  if (process.platform === "win32") return;
  const args = "Deno" in globalThis ? ["run", "-A", "--no-check"] : [];
  const { stdout, stderr } = spawnSync("sh", [...LIMITED, ...args, WITHOUT_DESCRIPTORS, path], { encoding: "utf8" });
  assert.equal(stdout, "1,2, and 3 by the thread\n", stderr);
});

test.store(
  "on a connection that only reads, SQLite itself waits for no lock: the store does, for a second",
  (_store, _other, path) => {
    const snapshot = openSnapshot({ givenPath: path, path });
    assert.deepEqual({ ...snapshot.prepare("PRAGMA busy_timeout").get() }, { timeout: 0 });
    snapshot.close();
  },
);

test.store("a store opens while another program writes to its file", async (store, other, path) => {
  await store.create(REX);
  other.exec("BEGIN IMMEDIATE");
  await using second = createSqliteStore(path, { writerThread: "never" });
  assert.equal(await second.get(1n), await store.get(1n));
  other.exec("ROLLBACK");
});
