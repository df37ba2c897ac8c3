/** A log that belongs to another file is not replayed into the one that was copied over the database. */

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { inspectDatabase } from "../../../lib/stores/sqlite/inspection.ts";
import { assertRefused, createMany, execute, REX, test, usingStore, withPath } from "./support.ts";

const FOREIGN = /the write-ahead log of another file beside it.*petstore restore/;

/** Leaves the files of a database with this many pets at `path`, as a kill would. */
async function kill(path: string, pets: number): Promise<void> {
  await withPath((running) =>
    usingStore(running, async (store) => {
      await createMany(store, pets);
      for (const end of ["", "-wal"]) copyFileSync(running + end, path + end);
    })
  );
}

/** A file in rollback mode, as `petstore backup` and SQLite's `VACUUM INTO` make it. */
async function makeBackup(path: string, pets: number): Promise<void> {
  await usingStore(path, (store) => createMany(store, pets));
  execute(path, "PRAGMA journal_mode = DELETE");
}

for (const newer of [1, 600]) {
  test.path(`a backup that was copied over a file with ${newer} newer pets in its log is refused, and unchanged`, async (path) => {
    const backup = `${path}.backup`;
    await makeBackup(backup, 5);
    await kill(path, 5 + newer);
    copyFileSync(backup, path);
    const log = readFileSync(`${path}-wal`);
    assertRefused(path, FOREIGN);
    await assert.rejects(inspectDatabase(path), FOREIGN);
    assert.deepEqual([readFileSync(path), readFileSync(`${path}-wal`)], [readFileSync(backup), log]);
  });
}

test.path("a file that a kill left with its own log is opened, with every pet", async (path) => {
  await kill(path, 7);
  assert.equal((await inspectDatabase(path)).pets, 7n);
  await usingStore(path, (store) => assert.notEqual(store.get(7n), undefined));
});

test.path("an empty log beside a backup is no reason to refuse it", async (path) => {
  await makeBackup(path, 5);
  writeFileSync(`${path}-wal`, "");
  await usingStore(path, async (store) => assert.equal(await store.create(REX), 6n));
  assert.equal(existsSync(`${path}-wal`), false);
});
