/** Batches of creates: when a commit starts, and when a create is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Batch, FULL_BATCH } from "../../lib/stores/database/batch.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { withStoppedClock } from "../support/stopped_clock.ts";
import { whileReplaced } from "../support/while_replaced.ts";

/** A batch, and the sizes of its commits. Each commit lasts until `commits.end()`, unless it blocks the thread. */
function createBatch(expectsClients = false) {
  const sizes: number[] = [];
  const commits = { block: false, end: () => {} };
  const batch = new Batch<null>({
    resource: "the test",
    expectsClients,
    commit({ length }) {
      sizes.push(length);
      return commits.block ? undefined : new Promise<void>((resolve) => commits.end = resolve);
    },
  });
  const add = (count: number) => {
    for (let i = 0; i < count; i++) batch.add(null);
  };
  return { batch, sizes, commits, add };
}

async function turn(count = 1): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

test("a batch commits after the first turn of the event loop in which nothing was added, and tells how many", async () => {
  const { batch, sizes, commits, add } = createBatch();
  const told: number[] = [];
  batch.onCommit = (creates) => told.push(creates);
  commits.block = true;
  add(1);
  await Promise.resolve();
  add(1);
  await turn();
  // The second create came in that turn.
  assert.deepEqual(sizes, []);
  await turn();
  assert.deepEqual([sizes, told, batch.unsettled], [[2], [2], 0]);
});

test("a full batch is committed at once, and the next commit begins after its end", async () => {
  const { batch, sizes, commits, add } = createBatch();
  add(FULL_BATCH + 3);
  assert.deepEqual([sizes, batch.unsettled], [[FULL_BATCH], FULL_BATCH + 3]);
  await turn(3);
  assert.deepEqual(sizes, [FULL_BATCH]);
  commits.end();
  await turn(3);
  assert.deepEqual(sizes, [FULL_BATCH, 3]);
});

test("at most 10,000 creates wait or are being committed, and the next one is accepted when a commit has ended", async () => {
  const { batch, commits, add } = createBatch();
  add(10_000);
  const refusal = { name: StoreUnavailableError.name, message: "Too many creates wait for the test" };
  assert.throws(() => add(1), refusal);
  assert.equal(batch.unsettled, 10_000);
  commits.end();
  await turn();
  add(1);
});

test("a batch that is closed commits what waits, also during a commit, and accepts no more", async () => {
  const { batch, sizes, commits, add } = createBatch();
  add(1);
  await turn(2);
  add(2);
  const closed = batch.close();
  assert.throws(() => add(1), { name: StoreUnavailableError.name, message: "The store has been closed" });
  commits.end();
  await turn();
  assert.equal(batch.unsettled, 2);
  commits.end();
  await closed;
  assert.deepEqual([sizes, batch.unsettled], [[1, 2], 0]);
});

test("after a commit, a batch that expects clients waits until as many creates are there as there are clients", async () => {
  const { sizes, commits, add } = createBatch(true);
  add(2);
  await turn(2);
  add(1);
  commits.end();
  await turn();
  add(1);
  assert.deepEqual(sizes, [2]);
  add(1);
  assert.deepEqual(sizes, [2, 3]);
});

test("a commit waits for clients for as long as the last one took, and not after a wait in which some stayed away", () =>
  withStoppedClock(async (pass) => {
    const { sizes, commits, add } = createBatch(true);
    const waits: { milliseconds: number | undefined; end: () => void }[] = [];
    const setTimeout = (end: () => void, milliseconds?: number) => waits.push({ milliseconds, end });
    const clearTimeout = (id: number) => waits[id - 1]!.end = () => {};
    /** Commits creates that come together. */
    const commit = async (creates: number, milliseconds: number) => {
      add(creates);
      await turn(2);
      pass(milliseconds);
      commits.end();
      await turn();
    };
    const timers = { setTimeout, clearTimeout } as unknown as Pick<typeof globalThis, "setTimeout" | "clearTimeout">;
    await whileReplaced(globalThis, timers, async () => {
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
      commits.block = true;
      await commit(2, 5);
      assert.equal(waits.length, 5);
    });
    assert.equal(sizes.length, 23);
  }));
