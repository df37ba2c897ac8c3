/** The reads of a turn of the event loop share a transaction, and nobody else notices it. */

import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { ChangeWatch } from "../../../lib/stores/sqlite/change_watch.ts";
import { FileWatch } from "../../../lib/stores/sqlite/file_watch.ts";
import { Transactions } from "../../../lib/stores/sqlite/insert.ts";
import { openDatabase } from "../../../lib/stores/sqlite/open.ts";
import { ReadTurn } from "../../../lib/stores/sqlite/read_turn.ts";
import type { SqliteStore } from "../../../lib/stores/sqlite/store.ts";
import { execute, keyOf, REX, test, usingStore } from "./support.ts";

const INSERT = "INSERT INTO pets (name, category_id, status) VALUES ('Bo', 1, 0)";

const LIST = { after: 0n, limit: 9, status: undefined };

const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** So often that the reads share a transaction. */
function read(store: SqliteStore): string[] {
  return [1n, 2n, 3n].map((id) => `${store.get(id)} ${store.list(LIST).json}`);
}

function hasReader(other: DatabaseSync): boolean {
  other.exec("PRAGMA busy_timeout = 0");
  return other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] !== 0;
}

test.eachOther("a turn has one transaction, which another program sees until it ends", async (store, other) => {
  await store.create(REX);
  read(store);
  other.exec(INSERT);
  assert.equal(store.get(2n), undefined);
  assert.equal(hasReader(other), true);
  await nextTurn();
  assert.equal(hasReader(other), false);
  assert.match(store.get(2n)!, /"Bo"/);
});

test.other("a lone read of a turn leaves no transaction open", (store, other) => {
  store.list(LIST);
  assert.equal(hasReader(other), false);
});

test.eachStore("creates and changes of keys in a turn of reads succeed, and are seen", async (store) => {
  const created = [store.create(REX), store.create(REX)];
  read(store);
  await store.keys.add(keyOf("a"));
  read(store);
  await Promise.all(created);
  assert.match(read(store)[1]!, /^\{"id":2,/);
});

test.other("a write, a commit of the thread and a look for changes end the transaction", (_, other, path) => {
  const opened = openDatabase(path);
  const { db } = opened;
  const turn = new ReadTurn(db), watch = new ChangeWatch(db, turn);
  const transactions = new Transactions(db, new FileWatch(opened, path), turn);
  const count = () => {
    turn.enter();
    return db.prepare("SELECT count(*) AS pets FROM pets").get()?.["pets"];
  };
  try {
    [() => watch.changes(), () => watch.countCommit([]), () => transactions.commit([{ kind: "probe" }], 0)]
      .forEach((end, pets) => {
        assert.deepEqual([count(), count()], [pets, pets]);
        other.exec(INSERT);
        assert.equal(count(), pets);
        end();
        assert.equal(count(), pets + 1);
        turn.end();
      });
  } finally {
    db.close();
  }
});

test.path("a store that is closed in a turn of reads leaves no lock behind", async (path) => {
  await usingStore(path, async (store) => {
    await store.create(REX);
    read(store);
  });
  execute(path, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK");
});
