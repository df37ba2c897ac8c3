/** Files that the SQLite store refuses, with one clear line and without changing a byte. */

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { withTempFolder } from "../../support/temp.ts";
import { createMany, execute, REX, usingStore, withPath } from "./support.ts";

/** Files, how to make them, and the message of the refusal. */
const REFUSED: [what: string, make: (path: string) => void | Promise<void>, message: RegExp][] = [
  [
    "a database of another program",
    (path) => execute(path, "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)"),
    /is an SQLite database of another program/,
  ],
  [
    "a database of another program with a write-ahead log",
    (path) => execute(path, "PRAGMA journal_mode = WAL; CREATE TABLE theirs (a)"),
    /is an SQLite database of another program/,
  ],
  [
    "an empty database with the application id of another program",
    (path) => execute(path, "PRAGMA application_id = 7"),
    /is an SQLite database of another program/,
  ],
  [
    "an empty database with a version of another program",
    (path) => execute(path, "PRAGMA user_version = 1"),
    /is an SQLite database of another program/,
  ],
  [
    "a database of a later release",
    (path) =>
      alter(path, "PRAGMA user_version = 99; UPDATE compatibility SET oldest_version = 98, oldest_release = '7.1.0'"),
    /has schema version 99, which needs release 7\.1\.0 or later; this is release \d+\.\d+\.\d+$/,
  ],
  [
    "a database of a later release that names no release which can use it",
    (path) => alter(path, "PRAGMA user_version = 99; DROP TABLE compatibility"),
    /has schema version 99, which needs a later release; this is release \d+\.\d+\.\d+$/,
  ],
  [
    "a text file",
    (path) => writeFileSync(path, "Pets I have known\n".repeat(100)),
    /is not an SQLite database; it was left unchanged/,
  ],
  ["a text file of one byte", (path) => writeFileSync(path, "R"), /is not an SQLite database; it was left unchanged/],
  ["a short text file", (path) => writeFileSync(path, "Rex\n"), /is not an SQLite database|is corrupt/],
  ...[100, 4096, 5000, 20_480].map((length): typeof REFUSED[number] => [
    `a database cut off after ${length} bytes`,
    (path) => damage(path, (bytes) => bytes.subarray(0, length)),
    /is corrupt; restore it from a backup/,
  ]),
  [
    "a database with a damaged first line",
    (path) => damage(path, (bytes) => bytes.fill(0xa5, 0, 16)),
    /is not an SQLite database; it was left unchanged/,
  ],
  [
    "a database with a damaged schema page",
    (path) => damage(path, (bytes) => bytes.fill(0xa5, 100, 4096)),
    /is corrupt; restore it from a backup/,
  ],
];

for (const [what, make, message] of REFUSED) {
  test(`createSqliteStore() refuses ${what} and leaves it unchanged`, () =>
    withPath(async (path) => {
      await make(path);
      const before = readFileSync(path);
      assertUnavailable(path, message);
      assert(before.equals(readFileSync(path)), "the file has been changed");
    }));
}

test("a database with damage after its schema page is unavailable for reads of the damaged page", () =>
  withPath(async (path) => {
    await damage(path, (bytes) => bytes.fill(0xa5, 4096, 8192));
    await usingStore(path, (store) => {
      for (const read of [() => store.get(1n), () => store.list({ after: 0n, limit: 1 }), () => store.check()]) {
        assert.throws(read, StoreUnavailableError);
      }
    });
  }));

for (const [what, mode] of [["rollback journal", "DELETE"], ["write-ahead log", "WAL"]] as const) {
  test(`createSqliteStore() refuses a file with a ${what} that another connection has locked`, () =>
    withPath(async (path) => {
      await alter(path, `PRAGMA journal_mode = ${mode}`);
      const before = readFileSync(path);
      const holder = new DatabaseSync(path);
      holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
      assertUnavailable(path, /is locked by another process/);
      holder.close();
      assert(before.equals(readFileSync(path)), "the file has been changed");
      await createSqliteStore(path).close();
    }));
}

test("createSqliteStore() refuses a file that is replaced while it is opened, such as by a restore", () =>
  withPath(async (path) => {
    await makeStore(path);
    copyFileSync(path, `${path}.restored`);
    const { now } = performance;
    // The file is open when the time limit of its locks begins.
    performance.now = () => {
      performance.now = now;
      renameSync(`${path}.restored`, path);
      return performance.now();
    };
    try {
      assertUnavailable(path, /has been deleted, moved or replaced; restart with the right file/);
      assert.equal(performance.now, now);
    } finally {
      performance.now = now;
    }
  }));

test("createSqliteStore() refuses a folder, and a file in one that does not exist, and makes neither", () =>
  withTempFolder((folder) => {
    assertUnavailable(
      join(folder, "none", "pets.db"),
      /cannot be opened; it must be readable, and its folder must exist and be writable/,
    );
    assertUnavailable(folder, /is a folder/);
    assert.deepEqual(readdirSync(folder), []);
  }));

test("createSqliteStore() throws a TypeError for a value that is not a path", () => {
  for (const path of ["", "pets\0.db", "\0", "file:///pets.db", "sqlite://pets.db", undefined, null, 7, {}]) {
    assert.throws(() => createSqliteStore(path as string), {
      name: "TypeError",
      message: /^The path .* must be the path of a file, or :memory:, not ("[^"]*"|undefined|object|number)$/,
    });
  }
  // Other programs take such addresses; here they would be the names of files.
  for (const scheme of ["file", "sqlite", "sqlite3", "SQLite"]) {
    for (const path of ["pets.db", ":memory:", "data/pets.db"]) {
      const right = `or :memory:, not "${scheme}:${path}"; write "${path}"`;
      assert.throws(() => createSqliteStore(`${scheme}:${path}`), (error: Error) => error.message.endsWith(right));
    }
  }
});

test("createSqliteStore() takes a path in which file: is no scheme", () =>
  withPath(async (path) => {
    await makeStore(`${path}-file:1`);
    assert.ok(existsSync(`${path}-file:1`));
  }));

test("createSqliteStore() turns an empty file into a database", () =>
  withPath(async (path) => {
    writeFileSync(path, "");
    await makeStore(path);
    assert.match(await usingStore(path, (store) => store.get(200n)) ?? "", /^{"id":200,/);
  }));

function assertUnavailable(path: string, message: RegExp): void {
  assert.throws(() => createSqliteStore(path), (error) => {
    assert(error instanceof StoreUnavailableError, String(error));
    assert(error.message.startsWith(`${path} `), error.message);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
}

/** Makes a file with 200 pets, in more than ten pages of 4096 bytes. */
async function makeStore(path: string): Promise<void> {
  await usingStore(path, (store) => createMany(store, 200, { ...REX, name: "Rex ".repeat(50) }));
}

/** Makes a file and runs statements on it. */
async function alter(path: string, sql: string): Promise<void> {
  await makeStore(path);
  execute(path, sql);
}

async function damage(path: string, change: (bytes: Uint8Array) => Uint8Array): Promise<void> {
  await makeStore(path);
  writeFileSync(path, change(readFileSync(path)));
}
