/**
 * How a store notices what other connections commit, and how it tells what they have added from
 * what they have altered.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import type { SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { WRITE_NOTHING } from "../../../lib/stores/sqlite/write_transactions.ts";
import type { StoreChanges } from "../../../lib/stores/store.ts";
import { createMany, REX, test } from "./support.ts";

for (const writerThread of ["auto", "always", "never"] as const) {
  test.path(`a store sees the pets of another store of the process at once, with writerThread: ${writerThread}`, async (path) => {
    await using a = createSqliteStore(path, { writerThread });
    await using b = createSqliteStore(path, { writerThread });
    for (let round = 0; round < 50; round++) {
      const { additions, alterations } = b.changes!();
      const creating = a.create(REX);
      // The create resolves before the event loop has its next turn, so a look that lasts for a turn would miss it.
      b.get(1n);
      b.changes!();
      const id = await creating;
      assert.notEqual(b.get(id), undefined, `pet ${id} is missing`);
      assert.notDeepEqual({ ...b.changes!() }, { additions, alterations });
    }
  });
}

test.store(
  "a kept pet is read anew after another program has changed it, also when the log was written back",
  async (store, other) => {
    await store.create(REX);
    for (const checkpoint of ["", "PRAGMA wal_checkpoint(TRUNCATE);"]) {
      for (let read = 0; read < 3; read++) store.get(1n);
      other.exec(`${checkpoint} UPDATE pets SET name = name || '!' WHERE id = 1`);
      assert.match(store.get(1n)!, checkpoint ? /"Rex!!"/ : /"Rex!"/);
    }
  },
);

const STORE_IN_WORKER = new URL("./store_in_worker.ts", import.meta.url);

test.path("a store in a worker, which cannot read the index of the log, sees what another program changes", async (path) => {
  const [seen] = await once(new Worker(STORE_IN_WORKER, { workerData: { path, closes: true } }), "message");
  assert.match(seen, /"name":"changed"/);
});

type Change = "alteration" | "addition" | "no change";

/** What has changed since then. What is altered may have been added, too. */
function changeSince(before: StoreChanges, { additions, alterations }: StoreChanges): Change {
  if (alterations > before.alterations) return "alteration";
  return additions > before.additions ? "addition" : "no change";
}

/** Runs statements of another program, and requires what they count as. */
function assertCounts(store: SqliteStore, other: DatabaseSync, sql: string, expected: Change): void {
  const before = { ...store.changes() };
  other.exec(sql);
  assert.equal(changeSince(before, store.changes()), expected, sql);
}

/** Statements of another program on pets 1 to 9, of which 5 is missing, and what they count as. */
const STATEMENTS: [expected: Change, sql: string][] = [
  ["addition", "INSERT INTO pets VALUES (30, 'a', 1, 1), (40, 'b', 1, 1)"],
  ["alteration", "INSERT INTO pets VALUES (5, 'a', 1, 1)"],
  ["alteration", "UPDATE pets SET name = 'Max' WHERE id = 3"],
  // This deletes the old row without running the trigger on DELETE.
  ["alteration", "REPLACE INTO pets VALUES (40, 'a', 1, 1), (3, 'b', 1, 1)"],
  ["alteration", "DELETE FROM pets WHERE id = 9; INSERT INTO pets VALUES (10, 'a', 1, 1)"],
  ["alteration", "CREATE TABLE p AS SELECT * FROM pets; DROP TABLE pets; ALTER TABLE p RENAME TO pets"],
  ["no change", `${WRITE_NOTHING.join("; ")}; PRAGMA wal_checkpoint(TRUNCATE)`],
];

for (const [expected, sql] of STATEMENTS) {
  test.store(`of another program, this counts as ${expected}: ${sql}`, async (store, other) => {
    await createMany(store, 9);
    other.exec("DELETE FROM pets WHERE id = 5");
    assertCounts(store, other, sql, expected);
  });
}

/** What another program may have done to the schema, and how it then alters a pet without a trace in the stamp. */
const UNSEEN_BY_TRIGGERS: [done: string, sql: string][] = [
  ["CREATE UNIQUE INDEX u ON pets(name)", "REPLACE INTO pets (name, category_id, status) VALUES ('pet 3', 9, 1)"],
  ["CREATE TRIGGER z AFTER DELETE ON PETS BEGIN SELECT raise(IGNORE); END", "DELETE FROM pets WHERE id = 3"],
];

for (const [done, sql] of UNSEEN_BY_TRIGGERS) {
  test.store(`what another program alters counts as an alteration after: ${done}`, async (store, other) => {
    await createMany(store, 9);
    other.exec(`UPDATE pets SET name = 'pet ' || id; ${done}`);
    assertCounts(store, other, sql, "alteration");
  });
}

test.store(
  "each look that fails counts as an alteration: once the store is closed, what was kept is stale",
  async (store, other) => {
    await store.create(REX);
    other.prepare("SELECT count(*) FROM pets").get();
    await store.close();
    for (let look = 0; look < 2; look++) {
      assert.equal(changeSince({ ...store.changes() }, store.changes()), "alteration");
    }
  },
);
