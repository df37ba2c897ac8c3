/** The SQLite store beyond the common contract: its file, other connections, and closing. */

import assert from "node:assert/strict";
import { openDatabase } from "../../../lib/stores/sqlite/open.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { createMany, execute, REX, test, usingStore, walk } from "./support.ts";

test.eachPath("an id is not reused after another program has deleted the last row", async (path) => {
  await usingStore(path, async (store) => {
    await createMany(store, 3);
    execute(path, "DELETE FROM pets WHERE id = 3");
    assert.equal(await store.get(3n), undefined);
    assert.equal(await store.create(REX), 4n);
  });
  execute(path, "DELETE FROM pets");
  assert.equal(await usingStore(path, (store) => store.create(REX)), 5n);
});

test.path("a commit waits until the log is on disk", (path) => {
  // PRAGMA synchronous belongs to a connection and is not stored in the file, so the store's own kind of connection is
  // asked. 2 is FULL (https://sqlite.org/pragma.html#pragma_synchronous).
  const { db } = openDatabase(path);
  const settings = ["synchronous", "fullfsync", "checkpoint_fullfsync"].map((name) => {
    return db.prepare(`PRAGMA ${name}`).get()?.[name];
  });
  db.close();
  assert.deepEqual(settings, [2, 1, 1]);
});

test.store("a walk shows each pet once after another program has deleted rows", async (store, path) => {
  await createMany(store, 60);
  execute(path, "DELETE FROM pets WHERE id % 7 < 3 OR id > 55");
  const expected = Array.from({ length: 55 }, (_, i) => i + 1).filter((id) => id % 7 >= 3);
  for (const limit of [1, 3, 10, 100]) assert.deepEqual(await walk(store, limit), expected, `limit ${limit}`);
});

test.eachStore("a store whose table has been dropped is unavailable", async (store, path) => {
  await store.create(REX);
  execute(path, "DROP TABLE pets");
  const outage = { name: "StoreUnavailableError", message: /no such table: pets/ };
  assert.throws(() => store.check(), outage);
  await assert.rejects(async () => await store.create(REX), outage);
});

test.eachStore("a closed store is unavailable", async (store) => {
  await store[Symbol.asyncDispose]();
  await assert.rejects(async () => await store.create(REX), StoreUnavailableError);
  assert.throws(() => store.get(1n), StoreUnavailableError);
  assert.throws(() => store.list({ after: 0n, limit: 1 }), StoreUnavailableError);
  assert.throws(() => store.check(), StoreUnavailableError);
});
