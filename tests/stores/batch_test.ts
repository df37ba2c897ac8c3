/** Batches of creates: when a transaction starts, and when a create is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Batch, FULL_BATCH } from "../../lib/stores/batch.ts";
import { StoreUnavailableError } from "../../mod.ts";

/** A batch of numbers, and the batches that it has committed. While `isBusy` is set, commits do nothing. */
function createBatch() {
  const committed: number[][] = [];
  const state = { isBusy: false };
  const batch = new Batch<number>(() => {
    if (state.isBusy || batch.waiting.length === 0) return;
    committed.push(batch.waiting);
    batch.waiting = [];
  }, "the test");
  return { batch, committed, state };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("a batch commits after the first turn of the event loop in which nothing was added", async () => {
  const { batch, committed } = createBatch();
  batch.add(1);
  await Promise.resolve();
  batch.add(2);
  assert.deepEqual(committed, []);
  await turn();
  await turn();
  assert.deepEqual(committed, [[1, 2]]);
});

test("a full batch is committed at once when another create arrives", () => {
  const { batch, committed } = createBatch();
  for (let i = 0; i <= FULL_BATCH; i++) batch.add(i);
  assert.deepEqual(committed.map(({ length }) => length), [FULL_BATCH]);
  assert.deepEqual(batch.waiting, [FULL_BATCH]);
});

test("at most 10,000 creates wait while a transaction runs", () => {
  const { batch, state } = createBatch();
  state.isBusy = true;
  for (let i = 0; i < 10_000; i++) batch.add(i);
  const refusal = { name: StoreUnavailableError.name, message: "Too many creates wait for the test" };
  assert.throws(() => batch.add(10_000), refusal);
  assert.equal(batch.waiting.length, 10_000);
});

test("a batch that is closed commits what waits, and accepts no more", () => {
  const { batch, committed } = createBatch();
  batch.add(1);
  batch.close();
  assert.deepEqual(committed, [[1]]);
  assert.throws(() => batch.add(2), { name: StoreUnavailableError.name, message: "The store has been closed" });
});
