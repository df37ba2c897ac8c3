/** Batches of creates: when a transaction starts, and when a create is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Batch, FULL_BATCH } from "../../lib/stores/batch.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";

/** A batch of numbers, and the batches that it has committed. While `isBusy` is set, commits do not end. */
function createBatch() {
  const committed: number[][] = [];
  const state = { isBusy: false };
  const batch = new Batch<number>({
    resource: "the test",
    commit(numbers) {
      committed.push(numbers);
      return state.isBusy ? new Promise<void>(() => {}) : undefined;
    },
  });
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

test("at most 10,000 creates of earlier turns wait while a transaction runs, and those of one turn are all accepted", async () => {
  const { batch, state } = createBatch();
  state.isBusy = true;
  for (let i = 0; i < 15_000; i++) batch.add(i);
  await turn();
  const refusal = { name: StoreUnavailableError.name, message: "Too many creates wait for the test" };
  assert.throws(() => batch.add(15_000), refusal);
  // Those that are being committed count too.
  batch.waiting.length = 10_000 - FULL_BATCH;
  assert.throws(() => batch.add(15_000), refusal);
  batch.waiting.length--;
  batch.add(15_000);
  assert.equal(batch.unsettled, 10_000);
});

test("a batch waits for the creates that it expects, and commits as soon as they are there", async () => {
  const { setTimeout } = globalThis;
  // A wait ends after 10 ms, which a busy machine may need for these turns.
  Object.assign(globalThis, { setTimeout: () => undefined });
  try {
    const { batch, committed } = createBatch();
    batch.add(1);
    batch.expect(2, 600_000);
    for (let i = 0; i < 5; i++) await turn();
    batch.add(2);
    await turn();
    assert.deepEqual(committed, []);
    batch.add(3);
    await turn();
    await turn();
    assert.deepEqual(committed, [[1, 2, 3]]);
    // The next one is not expected to have company.
    batch.add(4);
    await turn();
    await turn();
    assert.deepEqual(committed, [[1, 2, 3], [4]]);
  } finally {
    Object.assign(globalThis, { setTimeout });
  }
});

test("a batch whose expected creates do not come in time commits those that have come, and does not wait for the next ones", async () => {
  const { batch, committed } = createBatch();
  const commits = async (count: number) => {
    while (committed.length < count) await turn();
  };
  batch.add(1);
  batch.expect(2, 1);
  await commits(1);
  for (let i = 2; i <= 5; i++) {
    batch.add(i);
    batch.expect(2, 600_000);
    await commits(i);
  }
  batch.add(6);
  batch.expect(2, 600_000);
  for (let i = 0; i < 5; i++) await turn();
  assert.deepEqual(committed, [[1], [2], [3], [4], [5]]);
  batch.close();
});

test("a batch that is closed commits what waits, and accepts no more", () => {
  const { batch, committed } = createBatch();
  batch.add(1);
  batch.close();
  assert.deepEqual(committed, [[1]]);
  assert.throws(() => batch.add(2), { name: StoreUnavailableError.name, message: "The store has been closed" });
});
