/** Files that the SQLite store refuses, with one clear line and without changing a byte. */

import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore, type SqliteStoreOptions } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { inspectDatabase } from "../../../lib/stores/sqlite/inspection.ts";
import { withTempFolder } from "../../support/temp.ts";
import { whileReplaced } from "../../support/while_replaced.ts";
import { assertRefused, createMany, execute, openFiles, REX, test, usingStore } from "./support.ts";

const CORRUPT = /is corrupt; restore it from a backup/;

/** Files, how to make them, and the message of the refusal. */
const REFUSED: [what: string, make: (path: string) => void | Promise<void>, message: RegExp][] = [
  [
    "a database of another program",
    (path) => execute(path, "PRAGMA journal_mode = WAL; CREATE TABLE pets (title TEXT)"),
    /is an SQLite database of another program/,
  ],
  ["a file that was cut off", (path) => damage(path, (bytes) => bytes.subarray(0, 5000)), CORRUPT],
  ["a backup that was copied over a file with newer pets in its log", copyBackupOverKilled, /log of another file/],
];

for (const [what, make, message] of REFUSED) {
  test.path(`createSqliteStore() refuses ${what} and leaves it unchanged`, async (path) => {
    await make(path);
    const names = readdirSync(dirname(path)).map((name) => join(dirname(path), name));
    const before = names.map((name) => readFileSync(name));
    assertRefused(path, message);
    await assert.rejects(inspectDatabase(path));
    for (const [i, name] of names.entries()) {
      assert.ok(before[i]!.equals(readFileSync(name)), `${name} has been changed`);
    }
  });
}

for (const table of ["pets", "idempotency_keys", "alteration"]) {
  test.path(`createSqliteStore() refuses a file that has lost the table ${table}, and closes it`, async (path) => {
    await makeStore(path);
    execute(path, `DROP TABLE ${table}`);
    assertRefused(path, new RegExp(`cannot be used: no such table: (main\\.)?${table}`));
    assert.deepEqual(openFiles(path) ?? [], []);
  });
}

test.path("createSqliteStore() refuses a file that another connection has locked", async (path) => {
  await makeStore(path);
  const holder = new DatabaseSync(path);
  holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  assertRefused(path, /is locked by another process/);
  holder.close();
  await createSqliteStore(path).close();
});

test.path("createSqliteStore() refuses a file that is replaced while it is opened, such as by a restore", async (path) => {
  await makeStore(path);
  copyFileSync(path, `${path}.restored`);
  const { now } = performance;
  let calls = 0;
  // The store asks for the time to limit its attempts to get a lock: when it has opened the file to
  // read it, and then when it has opened it to write to it.
  const replaceAtSecond = () => {
    if (++calls === 2) renameSync(`${path}.restored`, path);
    return now.call(performance);
  };
  await whileReplaced(performance as { now: () => number }, { now: replaceAtSecond }, () => {
    assertRefused(path, /has been deleted, moved or replaced; restart with the right file/);
  });
  assert.deepEqual(openFiles(path) ?? [], []);
});

test("createSqliteStore() refuses a folder, and a file in one that does not exist, and makes neither", () =>
  withTempFolder((folder) => {
    assertRefused(join(folder, "none", "pets.db"), /cannot be opened; .* its folder must exist and be writable/);
    assertRefused(folder, /is a folder/);
    assert.deepEqual(readdirSync(folder), []);
  }));

test("createSqliteStore() throws a TypeError for a value that is not a path, and for an unknown option", () => {
  for (const path of ["", "pets\0.db", "file:///pets.db", "sqlite:data/pets.db", 7]) {
    assert.throws(() => createSqliteStore(path as string), {
      name: "TypeError",
      message: /^The path .* must be the path of a file, or :memory:, not ("[^"]*"|number)$/,
    });
  }
  for (const options of [{ writerThread: "process" }, { writer: "thread" }]) {
    assert.throws(() => createSqliteStore(":memory:", options as SqliteStoreOptions), TypeError);
  }
});

test.path("createSqliteStore() turns an empty file into a database", async (path) => {
  writeFileSync(path, "");
  assert.equal(await usingStore(path, (store) => store.create(REX)), 1n);
});

/** Makes a file with 200 pets, in more than ten pages of 4096 bytes. */
async function makeStore(path: string): Promise<void> {
  await usingStore(path, (store) => createMany(store, 200, { ...REX, name: "Rex ".repeat(50) }));
}

async function damage(path: string, change: (bytes: Uint8Array) => Uint8Array): Promise<void> {
  await makeStore(path);
  writeFileSync(path, change(readFileSync(path)));
}

/**
 * Leaves the files of a database as a kill would, and replaces the main one by a backup, which has
 * a rollback journal.
 */
async function copyBackupOverKilled(path: string): Promise<void> {
  const backup = `${path}.backup`;
  await makeStore(backup);
  execute(backup, "PRAGMA journal_mode = DELETE");
  copyFileSync(backup, path);
  await usingStore(path, async (store) => {
    await createMany(store, 600);
    copyFileSync(`${path}-wal`, `${path}.log`);
  });
  copyFileSync(backup, path);
  renameSync(`${path}.log`, `${path}-wal`);
}
