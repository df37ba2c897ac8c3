/**
 * SQLite's locks on the file of an open store. While they exist, another program that opens and closes the file keeps its
 * log. Without them, it would take itself for the last user and delete the log.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import type { PetStore } from "../../../mod.ts";
import { createMany, query, REX, testWriters, withOther, withStore } from "./support.ts";

const SKIP = existsSync("/proc/locks") ? false : "needs Linux, which lists locks in /proc/locks";

function testLinux(name: string, run: () => Promise<void>): void {
  testWriters(name, run, SKIP);
}

/** The first byte of the range that each user of a database locks (SQLite's SHARED_FIRST). */
const SHARED = "1073741826";

/** Whether this process has the lock that keeps others from deleting the log. */
function hasLock(path: string): boolean {
  const inode = statSync(path).ino;
  return readFileSync("/proc/locks", "utf8").split("\n").some((line) => {
    const [, , , , pid, file, from] = line.split(/\s+/);
    return pid === String(process.pid) && file?.endsWith(`:${inode}`) && from === SHARED;
  });
}

/** Adds pets in several transactions. */
async function fill(store: PetStore): Promise<void> {
  for (let round = 0; round < 4; round++) await createMany(store, 64);
}

testLinux(
  "a store keeps its lock when the log is written back into the file",
  () =>
    withOther(async (store, other, path) => {
      for (let round = 0; round < 5; round++) {
        const before = statSync(path).mtimeMs;
        await fill(store);
        other.exec("PRAGMA wal_checkpoint");
        assert.ok(statSync(path).mtimeMs > before, "nothing was written back into the file");
        // A watcher of the file would be notified now.
        await new Promise((resolve) => setTimeout(resolve, 50));
        assert.ok(hasLock(path), `the lock is gone in round ${round}`);
      }
    }),
);

testLinux(
  "a store keeps its lock when another store or connection of its process is closed",
  () =>
    withStore(async (store, path) => {
      await createSqliteStore(path).close();
      assert.ok(hasLock(path), "lost with the other store");
      for (const options of [{}, { readOnly: true }]) {
        const own = new DatabaseSync(path, options);
        own.prepare("SELECT count(*) FROM pets").get();
        own.close();
        assert.ok(hasLock(path), "lost with the connection");
      }
      const link = join(path, "..", "link.db");
      symlinkSync(path, link);
      await createSqliteStore(link).close();
      assert.ok(hasLock(path), "lost with a store that was opened by another name");
      store.check();
      assert.ok(hasLock(path), "lost with the check");
    }),
);

testLinux(
  "a file that another program opens and closes keeps its log, and no acknowledged pet is lost",
  () =>
    withStore(async (store, path) => {
      await fill(store);
      const inode = statSync(`${path}-wal`).ino;
      for (const sql of ["SELECT 1", "PRAGMA quick_check", "PRAGMA wal_checkpoint(TRUNCATE)"]) {
        await runElsewhere(path, sql);
        assert.equal(statSync(`${path}-wal`).ino, inode, `the log was deleted after ${sql}`);
        const id = await store.create({ ...REX, name: sql });
        assert.deepEqual(query(path, `SELECT name FROM pets WHERE id = ${id}`), [{ name: sql }]);
      }
    }),
);

/** Runs a statement in another process of this runtime, which opens and closes the file. */
async function runElsewhere(path: string, sql: string): Promise<void> {
  const code = `const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(${JSON.stringify(path)});
    db.prepare(${JSON.stringify(sql)}).all();
    db.close();`;
  const flags = process.versions["deno"] ? ["eval", "--no-config"] : ["--eval"];
  await promisify(execFile)(process.execPath, [...flags, code]);
}
