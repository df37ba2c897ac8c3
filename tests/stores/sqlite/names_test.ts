/** What a path leads to: links, folders that change places, and what is no file. */

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
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { type PetStore, StoreUnavailableError } from "../../../mod.ts";
import { withTempFolder } from "../../support/temp.ts";

const SKIP = process.platform === "win32" ? "Windows lets nobody move a file that is open" : false;

function testFolder(name: string, run: (folder: string) => Promise<void>): void {
  test(SKIP ? `${name} (skipped: ${SKIP})` : name, { skip: SKIP }, () => withTempFolder(run));
}

function create(store: PetStore, name = "Rex"): Promise<bigint> {
  return Promise.resolve(store.create({ name, categoryId: 7n, status: "sold" }));
}

/** Nothing more is acknowledged or stored, and what was there can be read. */
async function assertGone(store: PetStore, shown: number): Promise<void> {
  const message = /has been deleted, moved or replaced; restart with the right one/;
  await assert.rejects(create(store, "refused"), { name: "StoreUnavailableError", message });
  assert.throws(() => store.check(), { name: "StoreUnavailableError", message });
  const page = await store.list({ after: 0n, limit: 100 });
  assert.equal(JSON.parse(page.json).length, shown);
  assert.ok(!page.json.includes("refused"));
}

function assertRefused(path: string, message: RegExp): void {
  assert.throws(() => createSqliteStore(path), (error) => {
    assert.ok(error instanceof StoreUnavailableError, String(error));
    assert.match(error.message, message);
    return true;
  });
}

/** What goes wrong with a store that was opened by a link, in a folder that another one may take the place of. */
const TAKEN: [what: string, take: (target: string, link: string) => void][] = [
  ["log beside the target is deleted", (target) => rmSync(`${target}-wal`)],
  ["shared memory beside the target is deleted", (target) => rmSync(`${target}-shm`)],
  ["log is replaced by a copy of it", (target) => {
    copyFileSync(`${target}-wal`, `${target}-copy`);
    renameSync(`${target}-copy`, `${target}-wal`);
  }],
  ["target is moved away and copied back", (target) => {
    renameSync(target, `${target}.moved`);
    copyFileSync(`${target}.moved`, target);
  }],
  ["folder is renamed", (target) => renameSync(dirname(target), `${dirname(target)}.moved`)],
  ["folder is renamed, and another one like it takes its place", (target) => {
    const folder = dirname(target);
    renameSync(folder, `${folder}.moved`);
    mkdirSync(folder);
    for (const end of ["", "-wal", "-shm"]) copyFileSync(join(`${folder}.moved`, basename(target) + end), target + end);
  }],
  ["link leads to another file now", (target, link) => {
    copyFileSync(target, `${target}.other`);
    rmSync(link);
    symlinkSync(`${target}.other`, link);
  }],
  ["link is gone", (_, link) => rmSync(link)],
];

for (const [what, take] of TAKEN) {
  testFolder(`a store whose ${what} acknowledges and stores nothing more`, async (folder) => {
    const target = join(folder, "data", "pets.db");
    const link = join(folder, "link.db");
    mkdirSync(dirname(target));
    symlinkSync(target, link);
    const store = createSqliteStore(link);
    for (let count = 0; count < 3; count++) await create(store);
    take(target, link);
    await assertGone(store, 3);
    await store.close();
  });
}

testFolder("a link to a link, relative and dangling, makes the database where it leads to", async (folder) => {
  mkdirSync(join(folder, "a"));
  mkdirSync(join(folder, "b"));
  symlinkSync("a/second.db", join(folder, "first.db"));
  symlinkSync("../b/pets.db", join(folder, "a", "second.db"));
  const store = createSqliteStore(join(folder, "first.db"));
  await create(store);
  for (const end of ["", "-wal", "-shm"]) assert.ok(existsSync(join(folder, "b", `pets.db${end}`)), end);
  await store.close();
});

testFolder(
  "a relative link in a folder that is a link, and .. behind a link, lead where the system says",
  async (folder) => {
    for (const name of ["cwd", "volume/data", "volume/real"]) mkdirSync(join(folder, name), { recursive: true });
    symlinkSync("../volume/data", join(folder, "cwd", "data"));
    symlinkSync("../real/pets.db", join(folder, "volume", "data", "pets.db"));
    for (const path of [`${folder}/cwd/data/pets.db`, `${folder}/cwd/data/../real/pets.db`]) {
      const store = createSqliteStore(path);
      await create(store);
      await store.close();
    }
    const store = createSqliteStore(join(folder, "volume", "real", "pets.db"));
    assert.equal(await create(store), 3n);
    await store.close();
  },
);

testFolder("a file with two names is refused by each: every name would have a log of its own", async (folder) => {
  const [one, other] = [join(folder, "one.db"), join(folder, "other.db")];
  const store = createSqliteStore(one);
  await create(store);
  linkSync(one, other);
  assertRefused(other, /is a file with several names \(hard links\)/);
  await store.close();
  assertRefused(one, /is a file with several names/);
});

testFolder(
  "a file that was restored beside the journal of a first start that was killed is not emptied",
  async (folder) => {
    const path = join(folder, "pets.db");
    const store = createSqliteStore(path);
    for (let count = 0; count < 200; count++) await create(store);
    await store.close();
    const restored = readFileSync(path);
    // What such a start leaves: the journal's magic, no pages in it, some number, and an empty file before it.
    const journal = new Uint8Array(512);
    new DataView(journal.buffer).setBigUint64(0, 0xd9d505f920a163d7n);
    journal.set([0, 0, 2, 0, 0, 0, 0x10, 0], 20);
    writeFileSync(`${path}-journal`, journal);
    assertRefused(path, /has a rollback journal beside it that would empty it/);
    assert.deepEqual(readFileSync(path), restored);
    rmSync(`${path}-journal`);
    const again = createSqliteStore(path);
    assert.equal(await create(again), 201n);
    await again.close();
  },
);

testFolder("a log whose file is missing behind a link is left as it was", async (folder) => {
  const [target, link] = [join(folder, "pets.db"), join(folder, "link.db")];
  symlinkSync(target, link);
  const store = createSqliteStore(link);
  await create(store);
  const log = readFileSync(`${target}-wal`);
  // As after a crash: a log that was not written back, and a file that somebody has taken away.
  copyFileSync(`${target}-wal`, join(folder, "kept"));
  await store.close();
  rmSync(target);
  renameSync(join(folder, "kept"), `${target}-wal`);
  assertRefused(link, /is missing or empty, but its write-ahead log is there/);
  assert.deepEqual(readFileSync(`${target}-wal`), log);
  assert.ok(!existsSync(target));
});

testFolder("links that lead to each other, a named pipe and a device are refused at once", (folder) => {
  symlinkSync("b.db", join(folder, "a.db"));
  symlinkSync("a.db", join(folder, "b.db"));
  assertRefused(join(folder, "a.db"), /is a symbolic link that leads to itself/);
  const pipe = join(folder, "pipe.db");
  execFileSync("mkfifo", [pipe]);
  assertRefused(pipe, /is not a regular file/);
  assertRefused("/dev/null", /is not a regular file/);
  return Promise.resolve();
});

testFolder("a store goes on when its program changes its working directory", async (folder) => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    const store = createSqliteStore("pets.db");
    process.chdir(before);
    assert.equal(await create(store), 1n);
    await store.close();
    assert.ok(existsSync(join(folder, "pets.db")));
  } finally {
    process.chdir(before);
  }
});
