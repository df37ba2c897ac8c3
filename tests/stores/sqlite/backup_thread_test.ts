/** A copy in a thread has the same results and errors as one without. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync, watch, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import * as sqlite from "node:sqlite";
import { backupDatabase } from "../../../lib/stores/sqlite/backup.ts";
import { backupUntilAborted } from "../../../lib/stores/sqlite/backup_thread.ts";
import { findDatabase } from "../../../lib/stores/sqlite/inspection.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { fill } from "../../support/database.ts";
import { testUnless } from "../../support/test_with.ts";
import { until } from "../../support/until.ts";
import { createMany, usingStore, withPath } from "./support.ts";

const test = testUnless("backup" in sqlite ? false : "this runtime has no backup()");
const never = new AbortController().signal;

/** Every copy needs a thread. */
const IN_THREAD = 0;

test("a copy in a thread is checked and whole", () =>
  withPath(async (path) => {
    await usingStore(path, (store) => createMany(store, 20));
    const copy = `${path}.copy`;
    writeFileSync(copy, "");
    const { pets, bytes } = await backupUntilAborted(path, copy, never, IN_THREAD);
    assert.equal(pets, 20n);
    assert.ok(bytes > 4096);
    await usingStore(copy, (store) => assert.notEqual(store.get(20n), undefined));
  }));

test("what a thread does makes no name that the end of the process would leave", () =>
  withPath((path) =>
    usingStore(path, async (store) => {
      await createMany(store, 20);
      const copy = `${path}.copy`, end = `${path}.end`;
      writeFileSync(copy, "");
      const source = findDatabase(path);
      const names = new Set<string | null>();
      const watcher = watch(dirname(path), (_, name) => names.add(name));
      try {
        await backupDatabase(source, copy);
        await until("the name of a file that is made now", () => {
          writeFileSync(end, "");
          return names.has(basename(end));
        });
      } finally {
        watcher.close();
      }
      const ends = [...names].map((name) => name?.slice(basename(path).length));
      const unexpected = ends.filter((each) =>
        each === undefined || !/^(\.copy|\.end)?(-wal|-shm|-journal)?$/.test(each)
      );
      assert.deepEqual(unexpected, []);
    })
  ));

test("a failure in the thread has its message, and is of the store", () =>
  withPath(async (path) => {
    writeFileSync(path, "Feed Rex at noon. ".repeat(300));
    writeFileSync(`${path}.copy`, "");
    await assert.rejects(backupUntilAborted(path, `${path}.copy`, never, IN_THREAD), (error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, /is not an SQLite database; it was left unchanged$/);
      return true;
    });
  }));

/** Linux has a folder of the open files of a process. */
const SHOWS_OPEN_FILES = existsSync("/proc/self/fd");

/** The files that this process has open. */
function openFiles(): string[] {
  if (!SHOWS_OPEN_FILES) return [];
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      // The descriptor by which the folder was read is closed now.
      return [];
    }
  });
}

test("an abort ends a copy with the reason, before it begins and while it runs", () =>
  withPath(async (path) => {
    await usingStore(path, (store) => createMany(store, 1));
    fill(path, 100_000);
    const reason = new Error("enough");
    const moments = ["before", "while the thread starts"];
    if (SHOWS_OPEN_FILES) moments.push("while it copies");
    for (const moment of moments) {
      const copy = `${path}.${moment}`;
      writeFileSync(copy, "");
      const stop = new AbortController();
      if (moment === "before") stop.abort(reason);
      const result = assert.rejects(backupUntilAborted(path, copy, stop.signal, IN_THREAD), reason);
      if (moment === "while it copies") await until("the copy to be open", () => openFiles().includes(copy));
      stop.abort(reason);
      await result;
      // A thread that still had the copy open could make a file again that the caller removes now.
      assert.deepEqual(openFiles().filter((file) => file.startsWith(copy)), []);
    }
    // The source is as it was.
    assert.ok(existsSync(path));
    await usingStore(path, (store) => assert.notEqual(store.get(100_000n), undefined));
  }));
