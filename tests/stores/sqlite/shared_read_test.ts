/** The transaction that the reads of one turn of the event loop share. */

import assert from "node:assert/strict";
import type { SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { keyOf, REX, test, usingStore } from "./support.ts";

/** Reads the file more than once, since no page is kept. The transaction is open then. */
function readPages(store: SqliteStore): string {
  return [1, 2, 3].map(() => store.list({ after: 0n, limit: 100 }).json).at(-1)!;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test.eachStore("the reads of a turn share a transaction, and see each commit nevertheless", async (store, other) => {
  await store.create(REX);
  const isOpen = () => other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()!["busy"] === 1;
  readPages(store);
  assert.ok(isOpen(), "the log cannot be emptied while a transaction reads it");
  other.exec("INSERT INTO pets VALUES (7, 'Max', 1, 0)");
  assert.match(readPages(store), /"Max"/);
  await nextTurn();
  assert.ok(!isOpen(), "the transaction ends with the turn");
});

test.eachPath("a store adds keys and pets, and is closed, while its reads share a transaction", async (path) => {
  await usingStore(path, async (store) => {
    readPages(store);
    assert.ok(await store.keys.add(keyOf("one")));
    await nextTurn();
    const creating = store.create(REX);
    // These reads come before the batch begins to commit.
    readPages(store);
    assert.match(readPages(store), /\[\]/);
    const id = await creating;
    assert.match(readPages(store), new RegExp(`"id":${id},`));
  });
  await nextTurn();
});
