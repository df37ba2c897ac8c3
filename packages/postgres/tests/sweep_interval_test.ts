/** When expired requests are deleted, counted on a database that only counts statements. */

import assert from "node:assert/strict";
import test from "node:test";
import type { Database } from "../lib/client/database.ts";
import { startSweeper } from "../lib/sweeper.ts";
import { withStoppedClock } from "../../../tests/support/stopped_clock.ts";

/** A database whose deletions delete so many rows, or fail. */
function createDatabase() {
  const state = { deleted: 0, fails: false, deletions: 0 };
  const query = () => {
    state.deletions++;
    return state.fails ? Promise.reject(new Error("down")) : Promise.resolve([[String(state.deleted)]]);
  };
  return { db: { query, timeoutMs: 5000 } as unknown as Database, state };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function count(sweeper: ReturnType<typeof startSweeper>, requests: number): Promise<void> {
  for (let i = 0; i < requests; i++) sweeper.countRequest();
  await turn();
}

test("a deletion starts with the first request, then after each 500, also if one has failed, and at once after a full one", async () => {
  const { db, state } = createDatabase();
  const sweeper = startSweeper(db, "delete");
  await count(sweeper, 1);
  assert.equal(state.deletions, 1);
  for (const round of [2, 3]) {
    await count(sweeper, 499);
    assert.equal(state.deletions, round - 1);
    state.fails = round === 2;
    await count(sweeper, 1);
    assert.equal(state.deletions, round);
  }
  state.deleted = 2000;
  await count(sweeper, 500);
  assert.equal(state.deletions, 4);
  // More have expired than one statement deletes, so the next request starts another.
  state.deleted = 0;
  await count(sweeper, 1);
  assert.equal(state.deletions, 5);
  await count(sweeper, 1);
  assert.equal(state.deletions, 5);
  await sweeper.close();
  await count(sweeper, 1000);
  assert.equal(state.deletions, 5);
});

test("few requests begin a deletion five seconds after the last one, again and again, also after one that has failed", () =>
  withStoppedClock(async (pass) => {
    const { db, state } = createDatabase();
    const sweeper = startSweeper(db, "delete");
    for (const round of [1, 2, 3, 4]) {
      state.fails = round === 2;
      await count(sweeper, 1);
      assert.equal(state.deletions, round);
      pass(4_999);
      await count(sweeper, 1);
      assert.equal(state.deletions, round);
      pass(1);
    }
    await sweeper.close();
  }));
