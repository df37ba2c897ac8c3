/** The files of a database: symbolic links, moved and replaced files, and paths that are not regular files. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import type { PetStore } from "../../../lib/stores/store.ts";
import { testWith } from "../../support/test_with.ts";
import { withTempFolder } from "../../support/temp.ts";
import { assertRefused, createMany, REX, test, usingStore } from "./support.ts";

const testFolder = testWith(withTempFolder, test.each);

/** Asserts that the store refuses creates, fails its check, and still shows the pets that it had. */
async function assertGone(store: PetStore, shown: number): Promise<void> {
  const gone = {
    name: "StoreUnavailableError",
    message: /has been deleted, moved or replaced; restart with the right file/,
  };
  await assert.rejects(async () => await store.create({ ...REX, name: "refused" }), gone);
  assert.throws(() => store.check(), gone);
  const { json } = await store.list({ after: 0n, limit: 100 });
  assert.equal(JSON.parse(json).length, shown);
  assert.ok(!json.includes("refused"));
}

/** What happens to the files of a store that was opened through a link. */
const TAKEN: [what: string, take: (target: string, link: string) => void][] = [
  ["log is deleted", (target) => rmSync(`${target}-wal`)],
  ["log is replaced by a copy of it", (target) => {
    copyFileSync(`${target}-wal`, `${target}-copy`);
    renameSync(`${target}-copy`, `${target}-wal`);
  }],
  ["file is moved away and copied back", (target) => {
    renameSync(target, `${target}.moved`);
    copyFileSync(`${target}.moved`, target);
  }],
  ["folder is renamed", (target) => renameSync(dirname(target), `${dirname(target)}.moved`)],
  ["link is changed to another file", (target, link) => {
    copyFileSync(target, `${target}.other`);
    rmSync(link);
    symlinkSync(`${target}.other`, link);
  }],
];

for (const [what, take] of TAKEN) {
  testFolder(`a store whose ${what} acknowledges and stores no more creates`, async (folder) => {
    const target = join(folder, "data", "pets.db");
    const link = join(folder, "link.db");
    mkdirSync(dirname(target));
    symlinkSync(target, link);
    await usingStore(link, async (store) => {
      await createMany(store, 3);
      take(target, link);
      await assertGone(store, 3);
    });
  });
}

testFolder("a dangling relative link to a link creates the database at its target", async (folder) => {
  mkdirSync(join(folder, "a"));
  mkdirSync(join(folder, "b"));
  symlinkSync("a/second.db", join(folder, "first.db"));
  symlinkSync("../b/pets.db", join(folder, "a", "second.db"));
  await usingStore(join(folder, "first.db"), async (store) => {
    await store.create(REX);
    for (const end of ["", "-wal", "-shm"]) assert.ok(existsSync(join(folder, "b", `pets.db${end}`)), end);
  });
});

testFolder("a file with two names is refused by both, because each name would have its own log", async (folder) => {
  const [one, other] = [join(folder, "one.db"), join(folder, "other.db")];
  await usingStore(one, async (store) => {
    await store.create(REX);
    linkSync(one, other);
    assertRefused(other, /is a file with several names \(hard links\)/);
  });
  assertRefused(one, /is a file with several names/);
});

testFolder("a file that was restored beside the journal of a killed first start is not emptied", async (folder) => {
  const path = join(folder, "pets.db");
  await usingStore(path, (store) => createMany(store, 200));
  const restored = readFileSync(path);
  // Such a start leaves a journal with its magic bytes, no pages, a random number, and an empty original file.
  const journal = new Uint8Array(512);
  new DataView(journal.buffer).setBigUint64(0, 0xd9d505f920a163d7n);
  journal.set([0, 0, 2, 0, 0, 0, 0x10, 0], 20);
  writeFileSync(`${path}-journal`, journal);
  assertRefused(path, /has a rollback journal beside it that would empty it/);
  assert.deepEqual(readFileSync(path), restored);
  rmSync(`${path}-journal`);
  assert.equal(await usingStore(path, (store) => store.create(REX)), 201n);
});

testFolder("a log whose database is missing is left unchanged, through a link too", async (folder) => {
  const [target, link] = [join(folder, "pets.db"), join(folder, "link.db")];
  symlinkSync(target, link);
  // The folder is as a crash may leave it: the log was not written back, and then the file was removed.
  await usingStore(link, async (store) => {
    await store.create(REX);
    copyFileSync(`${target}-wal`, join(folder, "kept"));
  });
  rmSync(target);
  renameSync(join(folder, "kept"), `${target}-wal`);
  const log = readFileSync(`${target}-wal`);
  assertRefused(link, /is missing or empty, but its write-ahead log is there/);
  assert.deepEqual(readFileSync(`${target}-wal`), log);
  assert.ok(!existsSync(target));
});

test("a circle of links, a named pipe, a device, and a folder with the name of a log are refused at once", () =>
  withTempFolder((folder) => {
    symlinkSync("b.db", join(folder, "a.db"));
    symlinkSync("a.db", join(folder, "b.db"));
    assertRefused(join(folder, "a.db"), /is a symbolic link that leads to itself/);
    const pipe = join(folder, "pipe.db");
    execFileSync("mkfifo", [pipe]);
    assertRefused(pipe, /is not a regular file/);
    assertRefused("/dev/null", /is not a regular file/);
    mkdirSync(join(folder, "beside.db-wal"));
    assertRefused(
      join(folder, "beside.db"),
      /beside\.db-wal has a name of its log and is not a regular file; remove it/,
    );
  }));

testFolder("a store keeps working when its program changes the working directory", async (folder) => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    const store = createSqliteStore("pets.db");
    process.chdir(before);
    assert.equal(await store.create(REX), 1n);
    await store.close();
    assert.ok(existsSync(join(folder, "pets.db")));
  } finally {
    process.chdir(before);
  }
});
