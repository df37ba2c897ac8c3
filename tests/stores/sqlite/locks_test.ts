/**
 * SQLite's locks on a file that a store has open. While they hold, another program that opens and closes the file leaves
 * its log alone; when they are gone, it takes itself for the last one and deletes the log.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import type { PetStore } from "../../../mod.ts";
import { withTempFolder } from "../../support/temp.ts";

const SKIP = existsSync("/proc/locks") ? false : "needs Linux, which lists locks in /proc/locks";

/** A test on a file in a folder of its own. */
function testFile(name: string, run: (path: string) => Promise<void>): void {
  test(
    SKIP ? `${name} (skipped: ${SKIP})` : name,
    { skip: SKIP },
    (_: TestContext) => withTempFolder((folder) => run(join(folder, "pets.db"))),
  );
}

/** The first byte of the range that SQLite locks for whoever has a database open (its SHARED_FIRST). */
const SHARED = "1073741826";

/** Whether this process has the lock that keeps a log from being deleted by others. */
function hasLock(path: string): boolean {
  const inode = statSync(path).ino;
  return readFileSync("/proc/locks", "utf8").split("\n").some((line) => {
    const [, , , , pid, file, from] = line.split(/\s+/);
    return pid === String(process.pid) && file?.endsWith(`:${inode}`) && from === SHARED;
  });
}

/** Adds pets, in several transactions. */
async function fill(store: PetStore): Promise<void> {
  for (let round = 0; round < 4; round++) {
    const creates = Array.from({ length: 64 }, () => store.create({ name: "Rex", categoryId: 7n, status: "sold" }));
    await Promise.all(creates);
  }
}

testFile("a store keeps its lock when the log is written back into the file", async (path) => {
  const store = createSqliteStore(path);
  const own = new DatabaseSync(path);
  for (let round = 0; round < 5; round++) {
    const before = statSync(path).mtimeMs;
    await fill(store);
    own.exec("PRAGMA wal_checkpoint");
    assert.ok(statSync(path).mtimeMs > before, "nothing was written back into the file");
    // Whoever watches the file is told of that now.
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(hasLock(path), `the lock is gone in round ${round}`);
  }
  own.close();
  await store.close();
});

testFile(
  "a store keeps its lock when another store of its process is closed, or an app's own connection",
  async (path) => {
    const store = createSqliteStore(path);
    await createSqliteStore(path).close();
    assert.ok(hasLock(path), "it went with the other store");
    for (const options of [{}, { readOnly: true }]) {
      const own = new DatabaseSync(path, options);
      own.prepare("SELECT count(*) FROM pets").get();
      own.close();
      assert.ok(hasLock(path), "it went with the connection");
    }
    const refused = join(path, "..", "link.db");
    symlinkSync(path, refused);
    await createSqliteStore(refused).close();
    assert.ok(hasLock(path), "it went with a store that was opened by another name");
    store.check();
    assert.ok(hasLock(path), "it went with the check");
    await store.close();
  },
);

testFile("what another program opens and closes keeps its log, and no acknowledged pet is lost", async (path) => {
  const store = createSqliteStore(path);
  await fill(store);
  const inode = statSync(`${path}-wal`).ino;
  for (const sql of ["SELECT 1", "PRAGMA quick_check", "PRAGMA wal_checkpoint(TRUNCATE)"]) {
    await runElsewhere(path, sql);
    assert.equal(statSync(`${path}-wal`).ino, inode, `the log was deleted after ${sql}`);
    const id = await store.create({ name: sql, categoryId: 7n, status: "sold" });
    const other = new DatabaseSync(path, { readOnly: true });
    assert.equal(other.prepare("SELECT name FROM pets WHERE id = ?").get(id)?.["name"], sql);
    other.close();
  }
  await store.close();
});

/** Runs a statement in a process of this same runtime, which opens the file and closes it. */
async function runElsewhere(path: string, sql: string): Promise<void> {
  const code = `const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(${JSON.stringify(path)});
    db.prepare(${JSON.stringify(sql)}).all();
    db.close();`;
  const flags = process.versions["deno"] ? ["eval", "--no-config"] : ["--eval"];
  await promisify(execFile)(process.execPath, [...flags, code]);
}
