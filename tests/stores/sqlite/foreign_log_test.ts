/** A log that belongs to another file is not replayed into the one that was copied over the database. */

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inspectDatabase } from "../../../lib/stores/sqlite/inspection.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { PresentFile } from "../../../lib/stores/sqlite/restore.ts";
import { assertRefused, createMany, REX, test, usingStore, withPath } from "./support.ts";

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
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = DELETE");
  db.close();
}

for (const newer of [1, 20, 300, 600]) {
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

test.path("a copy of a file and its foreign log leaves nothing of the log if a signal ends it", async (path) => {
  await makeBackup(path, 5);
  for (const end of ["-wal", "-shm"]) writeFileSync(path + end, new Uint8Array(3_000_000));
  const kept = `${path}.kept`, reason = new Error("enough");
  const present = PresentFile.take(path);
  try {
    // The second part of the log is aborted after the first one is complete.
    const signal = { throwIfAborted: () => assert.ok(!existsSync(`${kept}-shm`), reason) } as AbortSignal;
    await assert.rejects(present.copy(`${kept}.0.tmp`, kept, signal), reason);
  } finally {
    present.close();
  }
  assert.deepEqual(readdirSync(dirname(path)).filter((name) => name.includes(".kept-")), []);
});

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

test.path("a file whose log another store of the process is using is opened", async (path) => {
  await using first = createSqliteStore(path);
  await first.create(REX);
  await usingStore(path, (second) => assert.notEqual(second.get(1n), undefined));
});
