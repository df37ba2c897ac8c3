/** Batches of creates: when a commit starts, and when a create is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Batch, FULL_BATCH } from "../../lib/stores/database/batch.ts";
import { sleep } from "../../lib/promises.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

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

/** No wait: the next create comes so long after a commit. */
const NONE = 0.5;

test("a commit waits for clients for as long as the last one took, and not after a wait in which some stayed away", () =>
  withVirtualClock(async ({ now }) => {
    let starts: number[] = [], milliseconds = 5;
    const commit = () => {
      starts.push(now());
      // A commit of no time blocks the thread, so no client can show its rhythm.
      return milliseconds > 0 ? sleep(milliseconds) : undefined;
    };
    const open = () => new Batch<null>({ resource: "the test", expectsClients: true, commit });
    /** The time between a commit of some creates and the next one, which begins with so many. */
    const waitAfter = async (creates: number, next = 1, batch = open()) => {
      starts = [];
      for (let i = 0; i < creates; i++) batch.add(null);
      await sleep(milliseconds + NONE);
      for (let i = 0; i < next; i++) batch.add(null);
      await sleep(milliseconds + 20);
      return Number((starts[1]! - starts[0]! - milliseconds).toFixed(1));
    };
    // A single client is not waited for.
    assert.equal(await waitAfter(1), NONE);
    const batch = open(), waits: number[] = [];
    // The clients of the first wait come, and those of the next one stay away.
    assert.equal(await waitAfter(2, 2, batch), NONE);
    for (let i = 0; i < 18; i++) waits.push(await waitAfter(2, 1, batch));
    assert.deepEqual(waits, [...Array(16).fill(NONE), 5, NONE]);
    for (const [duration, wait] of [[0, NONE], [0.1, 2], [600, 10]] as const) {
      milliseconds = duration;
      assert.equal(await waitAfter(2), wait);
    }
  }));
