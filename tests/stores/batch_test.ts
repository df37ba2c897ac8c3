/** Batches of creates: when a transaction starts, and when a create is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Batch, FULL_BATCH } from "../../lib/stores/batch.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { whileReplaced } from "../support/while_replaced.ts";

/** A batch of numbers, and the batches that it has committed. While `isBusy` is set, commits end by `end()` alone. */
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

/** A batch that commits two creates, and expects clients. Its commits end by `end()` alone. */
async function batchUnderWay() {
  const created = createBatch(true), { batch, state } = created;
  state.isBusy = true;
  for (const number of [1, 2]) batch.add(number);
  await turn(2);
  return created;
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

test("at most 10,000 creates of earlier turns wait while a transaction runs, and those of one turn are all accepted", async () => {
  const { batch, state } = createBatch();
  state.isBusy = true;
  for (let i = 0; i < 15_000; i++) batch.add(i);
  await turn();
  const refusal = { name: StoreUnavailableError.name, message: "Too many creates wait for the test" };
  assert.throws(() => batch.add(15_000), refusal);
  assert.equal(batch.unsettled, 15_000);
});

test("a create that is being committed takes up the limit too, and the next one is accepted when it has ended", async () => {
  const { batch, state } = createBatch();
  state.isBusy = true;
  batch.add(0);
  await turn(2);
  for (let i = 1; i < 10_000; i++) batch.add(i);
  await turn();
  assert.throws(() => batch.add(10_000), StoreUnavailableError);
  state.end();
  await turn();
  batch.add(10_000);
  assert.equal(batch.unsettled, 10_000);
});

test("creates that are being committed take up the limit, and give it back when their commit has ended", async () => {
  const { batch, committed, state } = createBatch();
  state.isBusy = true;
  for (let i = 0; i < 6_000; i++) batch.add(i);
  state.end();
  await turn(2);
  // More are being committed than wait.
  assert.deepEqual([committed[1]?.length, batch.unsettled], [6_000 - FULL_BATCH, 6_000 - FULL_BATCH]);
  while (batch.unsettled < 10_000) batch.add(0);
  await turn();
  assert.throws(() => batch.add(0), StoreUnavailableError);
  state.end();
  await turn();
  batch.add(0);
  assert.ok(batch.unsettled < 10_000);
});

/** Runs `use` with timers that end when the test says so: `fire` ends the last one that was set, and `pending` counts them. */
function withTimers(use: (timers: { fire: () => void; pending: () => number }) => Promise<void>): Promise<void> {
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
  return whileReplaced(globalThis as object, members, () => use({ fire, pending: () => timers.size }));
}

test("after a commit, the next one waits for as many creates as were answered and as wait already", () =>
  withTimers(async () => {
    const { batch, committed, state } = await batchUnderWay();
    batch.add(3);
    state.end();
    await turn(5);
    batch.add(4);
    await turn(5);
    assert.deepEqual(committed, [[1, 2]]);
    batch.add(5);
    assert.deepEqual(committed, [[1, 2], [3, 4, 5]]);
  }));

/** A batch that has committed two creates, and has a third, which waits for another client. Its commits end by `end()` alone. */
async function batchThatWaits() {
  const created = await batchUnderWay(), { batch, state } = created;
  state.end();
  await turn();
  batch.add(3);
  return created;
}

test("a batch whose expected creates are late commits without them, and does not wait after the next commits", () =>
  withTimers(async ({ fire }) => {
    const { batch, committed, state } = await batchThatWaits();
    await turn(5);
    assert.deepEqual(committed, [[1, 2]]);
    fire();
    for (let number = 4; number < 9; number++) {
      await turn(2);
      batch.add(number);
      state.end();
      await turn(2);
    }
    assert.deepEqual(committed.slice(1), [[3], [4], [5], [6], [7], [8]]);
  }));

test("after a wait in vain, sixteen commits start at once, and the one after them waits for its clients again", () =>
  withTimers(async ({ fire }) => {
    const { batch, committed, state } = await batchThatWaits();
    fire();
    await turn(3);
    assert.equal(committed.length, 2);
    for (let round = 1; round <= 17; round++) {
      for (const number of [1, 2]) batch.add(number);
      state.end();
      await turn(3);
      assert.equal(committed.length, 2 + Math.min(round, 16), `after ${round} rounds`);
    }
    // A second wait ends like the first one, and commits start at once again.
    fire();
    await turn(2);
    for (const number of [1, 2]) batch.add(number);
    state.end();
    await turn(3);
    assert.equal(committed.length, 2 + 18);
  }));

test("a wait that ends because all clients came, or the batch is closed, leaves no timer", () =>
  withTimers(async ({ pending }) => {
    const { batch, committed, state } = await batchThatWaits();
    assert.equal(pending(), 1);
    batch.add(4);
    assert.deepEqual([committed, pending()], [[[1, 2], [3, 4]], 0]);
    state.end();
    await turn();
    // Nothing is there to commit, and clients are expected.
    assert.equal(pending(), 1);
    await batch.close();
    assert.equal(pending(), 0);
  }));

test("no commit waits for clients if creates for a full batch are there, or the last commit has blocked the thread", () =>
  withTimers(async ({ pending }) => {
    const { batch, committed, state } = createBatch(true);
    for (const number of [1, 2]) batch.add(number);
    await turn(2);
    assert.deepEqual([committed.length, pending()], [1, 0]);
    state.isBusy = true;
    for (const number of [1, 2]) batch.add(number);
    await turn(2);
    for (let i = 0; i < FULL_BATCH; i++) batch.add(i);
    state.end();
    await turn(2);
    assert.deepEqual([committed.length, pending()], [3, 0]);
  }));

test("a create that was alone is not waited for", async () => {
  const { batch, committed, state } = createBatch(true);
  state.isBusy = true;
  for (const number of [1, 2]) {
    batch.add(number);
    await turn(2);
    state.end();
    await turn();
  }
  assert.deepEqual(committed, [[1], [2]]);
});

test("a batch that is closed commits what waits, and accepts no more", () => {
  const { batch, committed } = createBatch();
  batch.add(1);
  batch.close();
  assert.deepEqual(committed, [[1]]);
  assert.throws(() => batch.add(2), { name: StoreUnavailableError.name, message: "The store has been closed" });
});

test("a batch that is closed during a commit tells of that commit and of the one after it", async () => {
  const { batch, committed, state } = await batchUnderWay();
  const told: number[] = [];
  batch.onCommit = (creates) => told.push(creates);
  batch.add(3);
  const closed = batch.close();
  state.end();
  await turn();
  state.end();
  await closed;
  assert.deepEqual([committed, told, batch.unsettled], [[[1, 2], [3]], [2, 1], 0]);
});
