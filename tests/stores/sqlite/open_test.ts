/** Files that the SQLite store refuses, with one clear line and without changing a byte. */

import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { withTempFolder } from "../../support/temp.ts";
import { whileReplaced } from "../../support/while_replaced.ts";
import { assertRefused, createMany, execute, openFiles, REX, test, usingStore } from "./support.ts";

const THEIRS = /is an SQLite database of another program/, TEXT = /is not an SQLite database; it was left unchanged/;
const CORRUPT = /is corrupt; restore it from a backup/;

/** Files, how to make them, and the message of the refusal. */
const REFUSED: [what: string, make: (path: string) => void | Promise<void>, message: RegExp][] = [
  ["a database of another program", (path) => execute(path, "CREATE TABLE pets (title TEXT)"), THEIRS],
  ["one with a write-ahead log", (path) => execute(path, "PRAGMA journal_mode = WAL; CREATE TABLE theirs (a)"), THEIRS],
  ["an empty one with another application id", (path) => execute(path, "PRAGMA application_id = 7"), THEIRS],
  [
    "a database of a later program",
    (path) => alter(path, "PRAGMA user_version = 99"),
    /has version 99 of the schema, and this program knows 1: use the later program that wrote it$/,
  ],
  ["a text file", (path) => writeFileSync(path, "Pets I have known\n".repeat(100)), TEXT],
  ["a text file of one byte", (path) => writeFileSync(path, "R"), TEXT],
  ["a file that was cut off", (path) => damage(path, (bytes) => bytes.subarray(0, 5000)), CORRUPT],
  ["a damaged first line", (path) => damage(path, (bytes) => bytes.fill(0xa5, 0, 16)), TEXT],
  ["a damaged schema page", (path) => damage(path, (bytes) => bytes.fill(0xa5, 100, 4096)), CORRUPT],
  ...["pets", "api_keys"].map((table): typeof REFUSED[number] => [
    `a damaged first page of the table ${table}`,
    (path) => damageTable(path, table),
    CORRUPT,
  ]),
];

for (const [what, make, message] of REFUSED) {
  test.path(`createSqliteStore() refuses ${what} and leaves it unchanged`, async (path) => {
    await make(path);
    const before = readFileSync(path);
    assertRefused(path, message);
    assert(before.equals(readFileSync(path)), "the file has been changed");
  });
}

test.path("createSqliteStore() opens a file with a table of another program that needs a function of that program", async (path) => {
  await makeStore(path);
  const db = new DatabaseSync(path);
  db.function("theirs", { deterministic: true }, (value) => value);
  db.exec("CREATE TABLE theirs (a, b AS (theirs(a))); INSERT INTO theirs VALUES (1)");
  db.close();
  await createSqliteStore(path).close();
});

for (const mode of ["DELETE", "WAL"]) {
  test.path(`createSqliteStore() refuses a file in mode ${mode} that another connection has locked`, async (path) => {
    await alter(path, `PRAGMA journal_mode = ${mode}`);
    const holder = new DatabaseSync(path);
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    assertRefused(path, /is locked by another process/);
    holder.close();
    await createSqliteStore(path).close();
  });
}

/** Runs `use` while each reading of the clock does the next of these steps. The store reads it to limit its attempts. */
function withSteps(steps: (() => void)[], use: () => void | Promise<void>): Promise<void> {
  const { now } = performance;
  const nextStep = () => {
    steps.shift()?.();
    return now.call(performance);
  };
  return whileReplaced(performance as { now: () => number }, { now: nextStep }, use);
}

test.path("createSqliteStore() refuses a file that is replaced while it is opened, such as by a restore", async (path) => {
  await makeStore(path);
  copyFileSync(path, `${path}.restored`);
  // The file is open when the time limit of its locks begins.
  await withSteps([() => renameSync(`${path}.restored`, path)], () => {
    assertRefused(path, /has been deleted, moved or replaced; restart with the right file/);
  });
  assert.deepEqual(openFiles(path) ?? [], []);
});

test.path("createSqliteStore() waits for a program that writes to a file without a log, and then switches the log on", async (path) => {
  await alter(path, "PRAGMA journal_mode = DELETE");
  const writer = new DatabaseSync(path);
  // The time limit begins, and then the first attempt has failed.
  const steps = [() => writer.exec("BEGIN IMMEDIATE"), () => writer.exec("ROLLBACK")];
  await withSteps(steps, async () => await createSqliteStore(path).close());
  assert.equal(steps.length, 0);
  writer.close();
});

test("createSqliteStore() refuses a folder, and a file in one that does not exist, and makes neither", () =>
  withTempFolder((folder) => {
    assertRefused(join(folder, "none", "pets.db"), /cannot be opened; .* its folder must exist and be writable/);
    assertRefused(folder, /is a folder/);
    assert.deepEqual(readdirSync(folder), []);
  }));

test("createSqliteStore() throws a TypeError for a value that is not a path", () => {
  for (const path of ["", "pets\0.db", "file:///pets.db", undefined, 7]) {
    assert.throws(() => createSqliteStore(path as string), {
      name: "TypeError",
      message: /^The path .* must be the path of a file, or :memory:, not ("[^"]*"|undefined|number)$/,
    });
  }
  // Other programs take such addresses; here they would be the names of files.
  assert.throws(() => createSqliteStore("sqlite:data/pets.db"), /not "sqlite:data\/pets.db"; write "data\/pets.db"$/);
});

test.path("createSqliteStore() turns an empty file into a database", async (path) => {
  writeFileSync(path, "");
  await makeStore(path);
  assert.match(await usingStore(path, (store) => store.get(200n)) ?? "", /^{"id":200,/);
});

/** Makes a file with 200 pets, in more than ten pages of 4096 bytes. */
async function makeStore(path: string): Promise<void> {
  await usingStore(path, (store) => createMany(store, 200, { ...REX, name: "Rex ".repeat(50) }));
}

/** Makes a file and runs statements on it. */
async function alter(path: string, sql: string): Promise<void> {
  await makeStore(path);
  execute(path, sql);
}

async function damageTable(path: string, table: string): Promise<void> {
  await makeStore(path);
  const db = new DatabaseSync(path);
  const found = db.prepare(
    "SELECT rootpage AS page, page_size AS size FROM sqlite_schema, pragma_page_size WHERE name = ?",
  );
  const { page, size } = found.get(table) as { page: number; size: number };
  db.close();
  writeFileSync(path, readFileSync(path).fill(0, (page - 1) * size, page * size));
}

async function damage(path: string, change: (bytes: Uint8Array) => Uint8Array): Promise<void> {
  await makeStore(path);
  writeFileSync(path, change(readFileSync(path)));
}
