/** A copy in a thread has the same results and errors as one without. */

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import * as sqlite from "node:sqlite";
import { backupUntilAborted } from "../../../lib/stores/sqlite/backup_thread.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { fill } from "../../support/database.ts";
import { testUnless } from "../../support/test_with.ts";
import { until } from "../../support/until.ts";
import { createMany, openFiles, usingStore, withPath } from "./support.ts";

const test = testUnless("backup" in sqlite ? false : "this runtime has no backup()");
const never = new AbortController().signal;

/** Every copy needs a thread. */
const IN_THREAD = 0;

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

test("an abort ends a copy with the reason, before it begins and while it runs, and the next one is whole", () =>
  withPath(async (path) => {
    await usingStore(path, (store) => createMany(store, 1));
    fill(path, 100_000);
    const reason = new Error("enough");
    const moments = ["before", "while the thread starts"];
    if (openFiles(path)) moments.push("while it copies");
    for (const moment of moments) {
      const copy = `${path}.${moment}`;
      writeFileSync(copy, "");
      const stop = new AbortController();
      if (moment === "before") stop.abort(reason);
      const result = assert.rejects(backupUntilAborted(path, copy, stop.signal, IN_THREAD), reason);
      if (moment === "while it copies") {
        await until("the copy to be open", () => openFiles(copy)?.includes(copy) ?? false);
      }
      stop.abort(reason);
      await result;
      // A thread that still had the copy open could make a file again that the caller removes now.
      assert.deepEqual(openFiles(copy) ?? [], []);
    }
    // The source is as it was, and the next copy is whole.
    assert.ok(existsSync(path));
    const copy = `${path}.copy`;
    writeFileSync(copy, "");
    assert.equal((await backupUntilAborted(path, copy, never, IN_THREAD)).pets, 100_001n);
    await usingStore(copy, (store) => assert.notEqual(store.get(100_000n), undefined));
  }));
