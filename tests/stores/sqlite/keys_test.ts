/** The API keys in an SQLite file: what a lock stops, what is durable, and files that no store has opened. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { listKeys, sqliteKeys } from "../../../lib/stores/sqlite/keys.ts";
import { openDatabase } from "../../../lib/stores/sqlite/open.ts";
import { ReadTurn } from "../../../lib/stores/sqlite/read_turn.ts";
import { FileWatch } from "../../../lib/stores/sqlite/file_watch.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { execute, keyOf, test, usingStore, withOther, withPath } from "./support.ts";

/** After the keys were made. */
const AT = new Date(1_790_000_000_000);

test("keys are read, and a use is given up at once, while another connection has the write lock", () =>
  withOther(async ({ keys }, other) => {
    await keys.add(keyOf("a"));
    other.exec("BEGIN IMMEDIATE");
    const { version } = await keys.listSince!("");
    assert.deepEqual(await keys.list(), [keyOf("a")]);
    assert.deepEqual(await keys.listSince!(version), { version });
    assert.throws(() => keys.touch([{ id: "key-a", at: AT }]), StoreUnavailableError);
    other.exec("ROLLBACK");
    await keys.touch([{ id: "key-a", at: AT }]);
    assert.deepEqual(await keys.list(), [{ ...keyOf("a"), lastUsed: AT }]);
  }));

test("a change of keys waits for the disk, a use does not, and what follows either waits again", (t) =>
  withPath(async (path) => {
    const opened = openDatabase(path);
    const { db } = opened;
    const keys = sqliteKeys(db, new FileWatch(opened, path), new ReadTurn(db));
    const level = () => Number(db.prepare("PRAGMA synchronous").get()?.["synchronous"]);
    const commits: number[] = [];
    const exec = db.exec.bind(db);
    t.mock.method(db, "exec", (sql: string) => {
      if (sql === "COMMIT") commits.push(level());
      exec(sql);
    });
    await keys.add(keyOf("a"));
    await keys.touch([{ id: "key-a", at: AT }]);
    assert.equal(level(), 2);
    await keys.revoke("key-a", AT);
    // FULL is 2, NORMAL is 1 (https://sqlite.org/pragma.html#pragma_synchronous).
    assert.deepEqual(commits, [2, 1, 2]);
    execute(path, "DROP TABLE api_keys");
    assert.throws(() => keys.touch([{ id: "key-a", at: AT }]));
    assert.equal(level(), 2);
    db.close();
  }));

test.path("the keys of a file are read without a store, and no other file is read", async (path) => {
  await usingStore(path, async ({ keys }) => {
    for (const id of ["b", "a"]) await keys.add(keyOf(id));
  });
  assert.deepEqual(await listKeys(path), [keyOf("b"), keyOf("a")]);
  writeFileSync(`${path}.text`, "x".repeat(5000));
  execute(`${path}.other`, "CREATE TABLE api_keys (id)");
  for (const other of [`${path}.text`, `${path}.other`, `${path}.none`]) {
    await assert.rejects(listKeys(other), StoreUnavailableError, other);
  }
});
