/** Batches of creates: when a commit starts, and when a create is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Batch, FULL_BATCH } from "../../lib/stores/batch.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
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

test("a full batch is committed at once when another create arrives", () => {
  const { batch, committed } = createBatch();
  for (let i = 0; i <= FULL_BATCH; i++) batch.add(i);
  assert.deepEqual(committed.map(({ length }) => length), [FULL_BATCH]);
  assert.equal(batch.unsettled, 1);
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
  state.end();
  await turn();
  state.end();
  await closed;
  assert.deepEqual([committed, batch.unsettled], [[[1], [2]], 0]);
});

/**
 * Runs `use` with a batch that expects clients, and commits two creates. Timers end when the test says so: `fire` ends the last one that was
 * set, and `pending` counts them.
 */
function withClients(
  use: (created: ReturnType<typeof createBatch> & { fire: () => void; pending: () => number }) => Promise<void>,
): Promise<void> {
  const timers = new Map<number, () => void>();
  let last = 0;
  const fire = () => {
    const run = timers.get(last);
    timers.delete(last);
    run?.();
  };
  const members = {
    setTimeout: (run: () => void) => (timers.set(++last, run), last),
    clearTimeout: (timer: number) => timers.delete(timer),
  };
  return whileReplaced(globalThis as object, members, async () => {
    const created = createBatch(true);
    created.state.isBusy = true;
    for (const number of [1, 2]) created.batch.add(number);
    await turn(2);
    await use({ ...created, fire, pending: () => timers.size });
  });
}

test("after a commit, the next one waits for as many creates as were answered and as wait already", () =>
  withClients(async ({ batch, committed, state, pending }) => {
    batch.add(3);
    state.end();
    await turn(5);
    batch.add(4);
    await turn(5);
    assert.deepEqual(committed, [[1, 2]]);
    batch.add(5);
    assert.deepEqual([committed, pending()], [[[1, 2], [3, 4, 5]], 0]);
  }));

test("a wait in which not all clients come ends, and sixteen commits start at once before the next wait", () =>
  withClients(async ({ batch, committed, state, fire }) => {
    state.end();
    await turn();
    batch.add(3);
    await turn(5);
    assert.equal(committed.length, 1);
    fire();
    await turn(3);
    assert.deepEqual(committed[1], [3]);
    for (let round = 1; round <= 17; round++) {
      for (const number of [1, 2]) batch.add(number);
      state.end();
      await turn(3);
      assert.equal(committed.length, 2 + Math.min(round, 16), `after ${round} rounds`);
    }
  }));

test("a batch that waits for clients leaves no timer when it is closed", () =>
  withClients(async ({ batch, state, pending }) => {
    state.end();
    await turn();
    assert.equal(pending(), 1);
    await batch.close();
    assert.equal(pending(), 0);
  }));
