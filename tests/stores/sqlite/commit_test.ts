/** Commits on SQLite: invalid pets, failed commits, remembered requests, ids, and the end of a store. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../../lib/stores/sqlite/open.ts";
import { openSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { formatPets, type PetStatus, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { whileReplaced } from "../../support/while_replaced.ts";
import { createMany, execute, query, request, REX, test, usingStore } from "./support.ts";

test.path("a commit waits until the log is on disk", (path) => {
  // PRAGMA synchronous belongs to a connection and is not stored in the file, so the store's own
  // kind of connection is asked. 2 is FULL (https://sqlite.org/pragma.html#pragma_synchronous).
  const { db } = openDatabase(path);
  const settings = ["synchronous", "fullfsync", "checkpoint_fullfsync"].map((name) =>
    db.prepare(`PRAGMA ${name}`).get()?.[name]
  );
  db.close();
  assert.deepEqual(settings, [2, 1, 1]);
});

const INVALID = [
  { status: "lost" as unknown as PetStatus },
  { categoryId: 2n ** 63n },
  { name: null as unknown as string },
];

test.eachStore("an invalid create fails alone among others, as a defect of the caller, and one with unknown members does not", async (store) => {
  const unknown = { toString: () => "no message can carry a function" };
  const parts = [...INVALID, unknown];
  const [once, ...outcomes] = await Promise.allSettled([
    store.createOnce({ ...REX, ...unknown }, { ...request("once"), ...unknown }),
    ...parts.map((part) => store.create({ ...REX, ...part })),
  ]);
  assert.deepEqual(once, { status: "fulfilled", value: { outcome: "created", id: 1n } });
  const results = outcomes.map((each) => each.status === "fulfilled" ? each.value : each.reason.name);
  assert.deepEqual(results, [...INVALID.map(() => "TypeError"), 2n]);
  assert.deepEqual(store.list({ after: 0n, limit: 9 }), {
    json: formatPets([{ id: 1n, ...REX }, { id: 2n, ...REX }]),
  });
});

/** Each pet refers to a missing row, which SQLite detects only at the end of the transaction. */
const FAIL_AT_COMMIT = `
  CREATE TABLE kennels (id INTEGER PRIMARY KEY);
  CREATE TABLE stays (kennel INTEGER REFERENCES kennels (id) DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER stay AFTER INSERT ON pets BEGIN INSERT INTO stays VALUES (1); END`;

test.eachStore(
  "a create whose commit fails leaves neither a pet nor a lock, and the next one succeeds",
  async (store, other) => {
    other.exec(FAIL_AT_COMMIT);
    await assert.rejects(store.create(REX), /FOREIGN KEY constraint failed/);
    // This would fail while the store had a transaction open.
    other.exec("DROP TRIGGER stay");
    assert.equal(await store.create(REX), 1n);
  },
);

test.path("a create whose commit fails to sync is not repeated, and says that its pet may have been stored", async (path) => {
  await using store = openSqliteStore(path, "never");
  const { exec } = DatabaseSync.prototype;
  let commits = 0;
  const failing = function (this: DatabaseSync, sql: string) {
    if (sql !== "COMMIT") return exec.call(this, sql);
    commits++;
    throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR" });
  };
  await whileReplaced(DatabaseSync.prototype, { exec: failing }, async () => {
    await assert.rejects(store.create(REX), { name: "StoreUnavailableError", mayBeStored: true });
  });
  assert.equal(commits, 1);
  assert.equal(await store.create(REX), 1n);
});

test.eachStore("a pet and its remembered request are stored in one transaction", async (store, _other, path) => {
  // The request fails, so its pet must disappear too.
  execute(path, "CREATE TRIGGER full BEFORE INSERT ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'full'); END");
  await assert.rejects(store.createOnce(REX, request("a")), /full/);
  await assert.rejects(store.checkWrites(), /full/);
  assert.deepEqual(query(path, "SELECT id FROM pets"), []);
  execute(path, "DROP TRIGGER full");
  assert.deepEqual(await store.createOnce(REX, request("a")), { outcome: "created", id: 1n });
});

test.store("expired requests are deleted as new ones arrive, two for each", async (store, _other, path) => {
  for (let i = 0; i < 9; i++) await store.createOnce(REX, request(`old ${i}`));
  execute(path, "UPDATE idempotency_keys SET expires_at = 0");
  for (const left of [7, 5, 3, 1, 0]) {
    await store.createOnce(REX, request(`new ${left}`));
    const old = query(path, "SELECT key FROM idempotency_keys WHERE key LIKE 'old %'");
    assert.equal(old.length, left);
  }
});

test.path("an id is not reused after another program has deleted the last row", async (path) => {
  await usingStore(path, (store) => createMany(store, 3));
  execute(path, "DELETE FROM pets WHERE id = 3");
  assert.equal(await usingStore(path, (store) => store.create(REX)), 4n);
});

test.store(
  "creates are refused when the ids that a number holds exactly are used up, and reads go on",
  async (store, other) => {
    other.exec("INSERT INTO pets VALUES (9007199254740990, 'Bo', 1, 0)");
    assert.equal(await store.create(REX), 9007199254740991n);
    const refused = {
      name: "StoreUnavailableError",
      message: /ids end at 9007199254740991; another program has raised it$/,
    };
    await assert.rejects(store.create(REX), refused);
    await assert.rejects(store.createOnce(REX, request("a")), refused);
    assert.notEqual(store.get(9007199254740991n), undefined);
  },
);

test.eachStore("a closed store is unavailable", async (store) => {
  await store[Symbol.asyncDispose]();
  await assert.rejects(store.create(REX), StoreUnavailableError);
  assert.throws(() => store.get(1n), StoreUnavailableError);
  assert.throws(() => store.check(), StoreUnavailableError);
});
