/**
 * The files of a database: symbolic links, moved and replaced files, and paths that are not regular
 * files, and files that cannot be read.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inspectDatabase } from "../../../lib/stores/sqlite/inspection.ts";
import { formatPet } from "../../../lib/stores/store.ts";
import { whileReplaced } from "../../support/while_replaced.ts";
import { assertRefused, createMany, REX, test, usingStore } from "./support.ts";

const GONE = {
  name: "StoreUnavailableError",
  message: /has been deleted, moved or replaced; restart with the right file/,
};

/** What happens to the files of a store that was opened through a link. */
const TAKEN: [what: string, take: (target: string, link: string) => void][] = [
  ["log is deleted", (target) => rmSync(`${target}-wal`)],
  ["file is moved away and copied back", (target) => {
    renameSync(target, `${target}.moved`);
    copyFileSync(`${target}.moved`, target);
  }],
  ["link is changed to another file", (target, link) => {
    copyFileSync(target, `${target}.other`);
    rmSync(link);
    symlinkSync(`${target}.other`, link);
  }],
];

for (const [what, take] of TAKEN) {
  test.path(`a store whose ${what} acknowledges and stores no more creates`, async (path) => {
    const link = `${path}.link`;
    symlinkSync(path, link);
    await usingStore(link, async (store) => {
      await createMany(store, 3);
      take(path, link);
      await assert.rejects(store.create(REX), GONE);
      assert.throws(() => store.check(), GONE);
      const { json } = store.list({ after: 0n, limit: 100 });
      assert.equal(JSON.parse(json).length, 3);
    });
  });
}

test.path("a dangling relative link to a link creates the database at its target", async (path) => {
  const folder = join(path, "..");
  mkdirSync(join(folder, "a"));
  mkdirSync(join(folder, "b"));
  symlinkSync("a/second.db", path);
  symlinkSync("../b/pets.db", join(folder, "a", "second.db"));
  await usingStore(path, async (store) => {
    await store.create(REX);
    assert.equal(store.path, join(realpathSync(folder), "b", "pets.db"));
    for (const end of ["", "-wal"]) assert.ok(existsSync(`${store.path}${end}`), end);
  });
});

test.path("pets that could not be read are read again when the disk gives the right bytes", async (path) => {
  await usingStore(path, (store) => createMany(store, 200));
  const sound = readFileSync(path);
  await usingStore(path, (store) => {
    // The first page stays, so that SQLite takes the file for a database, and not for an empty one.
    writeFileSync(path, Uint8Array.from(sound, (byte, i) => i < 4096 ? byte : 0), { flag: "r+" });
    assert.throws(() => store.get(150n), { name: "StoreUnavailableError", message: /is corrupt/ });
    writeFileSync(path, sound, { flag: "r+" });
    assert.equal(store.get(150n), formatPet({ id: 150n, ...REX }));
  });
});

test.path("a second name that a file has for moments, as other starts give it some, is no reason to refuse it", async (path) => {
  await usingStore(path, () => linkSync(path, `${path}.other`));
  let pauses = 0;
  const wait = () => {
    // One other start after the other has the file at the moment of a count.
    if (++pauses === 10) rmSync(`${path}.other`);
    return "timed-out" as const;
  };
  await whileReplaced(Atomics, { wait }, () => usingStore(path, (store) => store.create(REX)));
});

test.path("a file that was restored beside the journal of a killed first start is not emptied", async (path) => {
  await usingStore(path, (store) => createMany(store, 200));
  const restored = readFileSync(path);
  // Such a start leaves a journal with its magic bytes, no pages, a random number, and an empty original file.
  const journal = new Uint8Array(512);
  new DataView(journal.buffer).setBigUint64(0, 0xd9d505f920a163d7n);
  journal.set([0, 0, 2, 0, 0, 0, 0x10, 0], 20);
  writeFileSync(`${path}-journal`, journal);
  assertRefused(path, /has a rollback journal beside it that would empty it/);
  await assert.rejects(inspectDatabase(path), /has a rollback journal beside it that would empty it/);
  assert.deepEqual(readFileSync(path), restored);
  rmSync(`${path}-journal`);
  assert.equal(await usingStore(path, (store) => store.create(REX)), 201n);
});

test.path("a first transaction that was killed late is rolled back, although it has left a large file", async (path) => {
  const db = new DatabaseSync(path);
  // The cache is small, so that SQLite writes pages before the commit. The first one waits until the commit.
  db.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN; CREATE TABLE t (x)");
  const insert = db.prepare("INSERT INTO t VALUES (?)");
  for (let i = 0; i < 200; i++) insert.run("x".repeat(1000));
  const files = [path, `${path}-journal`];
  const copies = files.map((file) => readFileSync(file));
  db.exec("ROLLBACK");
  db.close();
  files.forEach((file, i) => writeFileSync(file, copies[i]!));
  assert.ok(copies[0]!.length > 4096);
  assert.equal(await usingStore(path, (store) => store.create(REX)), 1n);
});

test.path("a log whose database is missing, or was emptied by a shell, is left unchanged", async (path) => {
  // The folder is as a crash may leave it: the log was not written back, and then the file was removed.
  await usingStore(path, async (store) => {
    await store.create(REX);
    copyFileSync(`${path}-wal`, `${path}.kept`);
  });
  rmSync(path);
  renameSync(`${path}.kept`, `${path}-wal`);
  const log = readFileSync(`${path}-wal`);
  assertRefused(path, /is missing or empty, but its write-ahead log is there/);
  assert.ok(!existsSync(path));
  for (const emptied of ["", "\n"]) {
    writeFileSync(path, emptied);
    assertRefused(path, /is missing or empty, but its write-ahead log is there/);
  }
  assert.deepEqual(readFileSync(`${path}-wal`), log);
});

test.path("a circle of links, a named pipe and a device are refused at once", (path) => {
  symlinkSync("pets.db", path);
  assertRefused(path, /is a symbolic link that leads to itself/);
  const pipe = `${path}.pipe`;
  execFileSync("mkfifo", [pipe]);
  assertRefused(pipe, /is not a regular file/);
  assertRefused("/dev/null", /is not a regular file/);
});
