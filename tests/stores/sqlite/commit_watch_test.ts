/** A read sees each commit that has ended before it, whoever made it and however many requests are handled at once. */

import assert from "node:assert/strict";
import { once } from "node:events";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { execute, keyOf, REX, test, usingStore } from "./support.ts";

const WRITER_THREADS = ["auto", "always", "never"] as const;

const LIST = { after: 0n, limit: 100, status: undefined };

for (const writerThread of WRITER_THREADS) {
  test.path(`a store sees the pets of another store of the process at once, with writerThread: ${writerThread}`, async (path) => {
    await using a = createSqliteStore(path, { writerThread });
    await using b = createSqliteStore(path, { writerThread });
    for (let round = 0; round < 50; round++) {
      const { additions, alterations } = b.changes!();
      const creating = a.create(REX);
      // The create resolves before the event loop has its next turn, so a look that lasts for a turn would miss it.
      b.get(1n);
      b.list(LIST);
      b.changes!();
      const id = await creating;
      assert.notEqual(b.get(id), undefined, `pet ${id} is missing`);
      assert.notDeepEqual({ ...b.changes!() }, { additions, alterations });
      const [once, twice] = await Promise.all([b.create(REX), b.create(REX)]);
      assert.deepEqual([a.get(once), a.get(twice)].includes(undefined), false);
    }
  });
}

const READS_IN_WORKER = new URL("./reads_in_worker.ts", import.meta.url);

/** Triggers of another program by which a create also changes the pet with the id 1. */
const CHANGING_TRIGGERS = [
  // The triggers of the file itself tell of this change.
  "AFTER INSERT ON idempotency_keys BEGIN UPDATE pets SET name = 'changed' WHERE id = 1; END",
  // With a trigger on the pets, nothing in the file tells for certain what has changed.
  "AFTER INSERT ON pets BEGIN UPDATE pets SET name = 'changed' WHERE id = 1; END",
];

for (const writerThread of WRITER_THREADS) {
  for (const trigger of CHANGING_TRIGGERS) {
    test.path(`a store in a worker, with writerThread: ${writerThread}, sees what happens ${trigger}`, async (path) => {
      const worker = new Worker(READS_IN_WORKER, { workerData: { path, writerThread, trigger } });
      const [seen] = await once(worker, "message");
      await worker.terminate();
      assert.match(seen, /"name":"changed"/);
    });
  }
}

const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Whether a transaction that reads keeps the log from being written back. */
function hasReader(other: DatabaseSync): boolean {
  other.exec("PRAGMA busy_timeout = 0");
  return other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] !== 0;
}

/** Reads so often that the reads share a transaction. */
function readOften(store: SqliteStore): string[] {
  return [1n, 2n, 3n].map((id) => `${store.get(id)} ${store.list(LIST).json}`);
}

test.eachOther(
  "the reads of a turn share a transaction, which ends with the turn, and a lone read leaves none",
  async (store, other) => {
    await store.create(REX);
    await nextTurn();
    store.list(LIST);
    assert.equal(hasReader(other), false);
    await nextTurn();
    readOften(store);
    // An empty log has nothing to write back, so that nobody is in the way.
    other.exec("INSERT INTO pets (name, category_id, status) VALUES ('Bo', 1, 0)");
    assert.equal(hasReader(other), true);
    await nextTurn();
    assert.equal(hasReader(other), false);
  },
);

test.eachOther(
  "whatever another program commits between the reads of a turn is seen by the next of them",
  async (store, other) => {
    const key = { ...keyOf("a"), digest: "a".repeat(64) };
    await store.keys.add(key);
    await store.create(REX);
    for (let round = 1; round < 20; round++) {
      readOften(store);
      other.exec(`INSERT INTO pets (name, category_id, status) VALUES ('n${round}', 1, 0)`);
      assert.match(store.list(LIST).json, new RegExp(`"name":"n${round}"`));
      readOften(store);
      other.exec(`UPDATE pets SET name = 'm${round}' WHERE id = 1`);
      assert.match(store.get(1n)!, new RegExp(`"m${round}"`));
      readOften(store);
      other.exec(`UPDATE api_keys SET label = 'l${round}'`);
      assert.equal((await store.keys.list())[0]!.label, `l${round}`);
      readOften(store);
      other.exec("DELETE FROM pets WHERE id > 1");
      assert.equal(JSON.parse(store.list(LIST).json).length, 1);
      if (round % 3 === 0) await nextTurn();
    }
  },
);

test.eachStore("creates and changes of keys among the reads of a turn succeed, and are seen", async (store) => {
  const created = [store.create(REX), store.create(REX)];
  readOften(store);
  await store.keys.add(keyOf("a"));
  readOften(store);
  await Promise.all(created);
  assert.match(readOften(store)[1]!, /^\{"id":2,/);
  const next = store.create(REX);
  readOften(store);
  assert.notEqual(store.get(await next), undefined);
  // This many creates are committed within the turn.
  readOften(store);
  const many = Array.from({ length: 600 }, () => store.create(REX));
  const ids = await Promise.all(many);
  assert.notEqual(store.get(ids.at(-1)!), undefined);
});

test.path("a store that is closed among the reads of a turn leaves no lock behind", async (path) => {
  await usingStore(path, async (store) => {
    await store.create(REX);
    readOften(store);
  });
  execute(path, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK");
});

test.other("the log may be written back and started again, and the next commit is seen", async (store, other) => {
  await store.create(REX);
  for (let round = 0; round < 3; round++) {
    store.get(1n);
    other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    store.get(1n);
    other.exec(`UPDATE pets SET name = 'n${round}' WHERE id = 1`);
    assert.match(store.get(1n)!, new RegExp(`n${round}`));
  }
});
