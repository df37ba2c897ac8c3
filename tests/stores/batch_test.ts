/** Batches of creates: when a commit starts, and when a create is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Batch, FULL_BATCH } from "../../lib/stores/batch.ts";
import { ClientRhythm } from "../../lib/stores/client_rhythm.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";

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

test("a full batch is committed at once when another create arrives, and the next commit begins after its end", async () => {
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

test("a commit waits for clients for as long as the last one took, and not after a wait in which some stayed away", () => {
  const rhythm = new ClientRhythm();
  assert.equal(rhythm.waitAfter(1, 0, 5), undefined);
  assert.deepEqual(rhythm.waitAfter(2, 1, 5), { clients: 3, milliseconds: 5 });
  assert.equal(rhythm.waitAfter(2, 0, 0.1)?.milliseconds, 2);
  assert.equal(rhythm.waitAfter(2, 0, 600)?.milliseconds, 10);
  rhythm.noteLateClients();
  for (let commit = 1; commit <= 16; commit++) assert.equal(rhythm.waitAfter(2, 0, 5), undefined);
  assert.notEqual(rhythm.waitAfter(2, 0, 5), undefined);
});
