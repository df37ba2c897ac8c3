/** When expired requests are deleted, counted on a database that only counts statements. */

import assert from "node:assert/strict";
import test from "node:test";
import type { Database } from "../lib/client/database.ts";
import { startSweeper } from "../lib/sweeper.ts";
import { withStoppedClock } from "../../../tests/support/stopped_clock.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A sweeper whose deletions delete so many rows, or fail, and the number of deletions after so many more requests. */
function createSweeper() {
  const state = { deleted: 0, fails: false };
  let deletions = 0;
  const query = () => {
    deletions++;
    return state.fails ? Promise.reject(new Error("down")) : Promise.resolve([[String(state.deleted)]]);
  };
  const sweeper = startSweeper({ query, timeoutMs: 5000 } as unknown as Database, "delete");
  const after = async (requests: number) => {
    for (let i = 0; i < requests; i++) sweeper.countRequest();
    await turn();
    return deletions;
  };
  return { sweeper, state, after };
}

test("a deletion starts with the first request, then after each 500, also if one has failed, and at once after a full one", async () => {
  const { sweeper, state, after } = createSweeper();
  assert.equal(await after(1), 1);
  state.fails = true;
  assert.equal(await after(499), 1);
  assert.equal(await after(1), 2);
  Object.assign(state, { fails: false, deleted: 2000 });
  assert.equal(await after(499), 2);
  assert.equal(await after(1), 3);
  // More have expired than one statement deletes, so the next request starts another.
  state.deleted = 0;
  assert.equal(await after(1), 4);
  assert.equal(await after(1), 4);
  await sweeper.close();
  assert.equal(await after(1000), 4);
});

test("few requests begin a deletion five seconds after the last one, again and again, also after one that has failed", () =>
  withStoppedClock(async (pass) => {
    const { sweeper, state, after } = createSweeper();
    for (const round of [1, 2, 3, 4]) {
      state.fails = round === 2;
      assert.equal(await after(1), round);
      pass(4_999);
      assert.equal(await after(1), round);
      pass(1);
    }
    await sweeper.close();
  }));
