/** Batches of creates: when a commit starts, and when a create is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Batch, FULL_BATCH } from "../../lib/stores/batch.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { withStoppedClock } from "../support/stopped_clock.ts";
import { whileReplaced } from "../support/while_replaced.ts";

/** A batch of numbers, and the batches that it has committed. While `isBusy` is set, a commit ends by `end()` alone. */
function createBatch(expectsClients = false) {
  const committed: number[][] = [];
  const state = { isBusy: false, end: () => {} };
  const batch = new Batch<number>({
    resource: "the test",
    expectsClients,
    commit(numbers) {
      committed.push(numbers);
      return state.isBusy ? new Promise<void>((resolve) => state.end = resolve) : undefined;
    },
  });
  return { batch, committed, state };
}

async function turn(count = 1): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

test("a batch commits after the first turn of the event loop in which nothing was added", async () => {
  const { batch, committed } = createBatch();
  const told: number[] = [];
  batch.onCommit = (creates) => told.push(creates);
  batch.add(1);
  await Promise.resolve();
  batch.add(2);
  await turn();
  // The second create came in that turn.
  assert.deepEqual(committed, []);
  await turn();
  assert.deepEqual([committed, told, batch.unsettled], [[[1, 2]], [2], 0]);
});

test("a full batch is committed at once, and the next commit begins after its end", async () => {
  const { batch, committed, state } = createBatch();
  const sizes = () => committed.map(({ length }) => length);
  state.isBusy = true;
  for (let i = 0; i < FULL_BATCH + 3; i++) batch.add(i);
  assert.deepEqual([sizes(), batch.unsettled], [[FULL_BATCH], FULL_BATCH + 3]);
  await turn(3);
  assert.deepEqual(sizes(), [FULL_BATCH]);
  state.end();
  await turn(3);
  assert.deepEqual(sizes(), [FULL_BATCH, 3]);
});

test("at most 10,000 creates wait or are being committed, and the next one is accepted when a commit has ended", async () => {
  const { batch, state } = createBatch();
  state.isBusy = true;
  for (let i = 0; i < 10_000; i++) batch.add(i);
  const refusal = { name: StoreUnavailableError.name, message: "Too many creates wait for the test" };
  assert.throws(() => batch.add(0), refusal);
  assert.equal(batch.unsettled, 10_000);
  state.end();
  await turn();
  batch.add(0);
});

test("a batch that is closed commits what waits, also during a commit, and accepts no more", async () => {
  const { batch, committed, state } = createBatch();
  state.isBusy = true;
  batch.add(1);
  await turn(2);
  batch.add(2);
  const closed = batch.close();
  assert.throws(() => batch.add(3), { name: StoreUnavailableError.name, message: "The store has been closed" });
  let isClosed = false;
  const closing = Promise.resolve(closed).then(() => isClosed = true);
  state.end();
  await turn();
  assert.equal(isClosed, false);
  state.end();
  await closing;
  assert.deepEqual([committed, batch.unsettled], [[[1], [2]], 0]);
});

test("after a commit, a batch that expects clients waits until as many creates are there as there are clients", async () => {
  const { batch, committed, state } = createBatch(true);
  state.isBusy = true;
  for (const number of [1, 2]) batch.add(number);
  await turn(2);
  batch.add(3);
  state.end();
  await turn();
  batch.add(4);
  assert.deepEqual(committed, [[1, 2]]);
  batch.add(5);
  assert.deepEqual(committed, [[1, 2], [3, 4, 5]]);
});

test("a batch that is full after a commit waits for no clients, and otherwise for no more than make it full", async () => {
  const { batch, committed, state } = createBatch(true);
  const sizes = () => committed.map(({ length }) => length);
  const add = (count: number) => {
    for (let i = 0; i < count; i++) batch.add(i);
  };
  state.isBusy = true;
  add(1);
  await turn(2);
  add(FULL_BATCH + 8);
  state.end();
  await turn(2);
  assert.deepEqual(sizes(), [1, FULL_BATCH + 8]);
  state.end();
  await turn();
  add(FULL_BATCH);
  assert.deepEqual(sizes(), [1, FULL_BATCH + 8, FULL_BATCH]);
});

test("a commit waits for clients for as long as the last one took, and not after a wait in which some stayed away", () =>
  withStoppedClock(async (pass) => {
    const { batch, committed, state } = createBatch(true);
    state.isBusy = true;
    const waits: { milliseconds: number | undefined; end: () => void }[] = [];
    const setTimeout = (end: () => void, milliseconds?: number) => waits.push({ milliseconds, end });
    /** Commits creates that come together. */
    const commit = async (creates: number, milliseconds: number) => {
      for (let i = 0; i < creates; i++) batch.add(i);
      await turn(2);
      pass(milliseconds);
      state.end();
      await turn();
    };
    await whileReplaced(globalThis, { setTimeout: setTimeout as unknown as typeof globalThis.setTimeout }, async () => {
      // A single client is not waited for.
      await commit(1, 5);
      for (const milliseconds of [5, 0.1, 600]) await commit(2, milliseconds);
      assert.deepEqual(waits.map(({ milliseconds }) => milliseconds), [5, 2, 10]);
      // The clients of the first wait have come, so its end says nothing.
      waits[0]!.end();
      await commit(2, 5);
      assert.equal(waits.length, 4);
      waits[3]!.end();
      for (let i = 1; i <= 16; i++) await commit(2, 5);
      assert.equal(waits.length, 4);
      await commit(2, 5);
      assert.equal(waits.length, 5);
      // During a commit that blocks the thread, no client can show its rhythm.
      state.isBusy = false;
      await commit(2, 5);
      assert.equal(waits.length, 5);
    });
    assert.equal(committed.length, 23);
  }));
