/** A copy in a thread has the same results and errors as one without. tests/server/interrupted_test.ts has copies that a signal ends. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as sqlite from "node:sqlite";
import { backupUntilAborted } from "../../../lib/stores/sqlite/backup_thread.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { execute, fill } from "../../support/database.ts";
import { testUnless } from "../../support/test_with.ts";
import { createMany, openFiles, usingStore, withPath } from "./support.ts";

const test = testUnless("backup" in sqlite ? false : "this runtime has no backup()");

test("a copy in a thread is whole, fails with the message of the store, and ends with the reason of an abort", () =>
  withPath(async (path) => {
    await usingStore(path, (store) => createMany(store, 1));
    fill(path, 10_000);
    /** Every copy needs a thread. */
    const copy = (name: string, signal: AbortSignal) => {
      writeFileSync(`${path}.${name}`, "");
      return backupUntilAborted(path, `${path}.${name}`, signal, 0);
    };
    const never = new AbortController().signal;
    assert.equal((await copy("whole", never)).pets, 10_001n);
    await usingStore(`${path}.whole`, (store) => assert.notEqual(store.get(10_000n), undefined));

    const stop = new AbortController(), reason = new Error("enough");
    const stopped = assert.rejects(copy("stopped", stop.signal), reason);
    stop.abort(reason);
    await stopped;
    // A thread that still had the copy open could make a file again that the caller removes now.
    assert.deepEqual(openFiles(`${path}.stopped`) ?? [], []);

    const other = new sqlite.DatabaseSync(path);
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    await assert.rejects(copy("locked", never), { name: StoreUnavailableError.name, isTemporary: true });
    other.close();

    execute(path, "DROP TABLE api_keys");
    await assert.rejects(copy("unsound", never), (error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, /is not sound: The table api_keys is missing/);
      assert.equal(error.isTemporary, false);
      return true;
    });
  }));
