/** Deadlines that begin, end and expire in any order. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createDeadlines } from "../../lib/http/deadlines.ts";
import { sleep } from "../../lib/promises.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";
import { whileReplaced } from "../support/while_replaced.ts";

const LENGTH = 800;
/** How late a deadline may expire. */
const TICK = LENGTH / 8;

test("a deadline expires once, in time and only if it was not ended, and no timer runs without one", () =>
  withVirtualClock(async ({ now, pending }) => {
    const begin = createDeadlines(LENGTH);
    const start = now();
    const expired: [name: string, after: number][] = [];
    const beginNamed = (name: string) => begin(() => expired.push([name, now() - start]));
    beginNamed("first");
    const endSecond = beginNamed("second");
    await sleep(LENGTH / 2);
    const endThird = beginNamed("third");
    endSecond();
    await sleep(2 * LENGTH);
    // To end a deadline that has expired does nothing.
    endThird();
    assert.deepEqual(expired.map(([name]) => name), ["first", "third"]);
    for (const [index, [, after]] of expired.entries()) {
      const due = LENGTH + index * LENGTH / 2;
      assert.ok(after >= due && after <= due + TICK, `${after}`);
    }
    assert.equal(pending(), 0);
  }));

test("a deadline that is alone expires, although a host has held the timer back when the one before it had ended", () =>
  withVirtualClock(async () => {
    const begin = createDeadlines(LENGTH);
    const { setTimeout } = globalThis;
    const heldBack = (run: () => void) => setTimeout(run, 100 * LENGTH);
    await whileReplaced(globalThis, { setTimeout: heldBack as never }, () => begin(() => {})());
    await sleep(10 * LENGTH);
    let hasExpired = false;
    begin(() => hasExpired = true);
    await sleep(LENGTH + TICK + 1);
    assert.equal(hasExpired, true);
  }));
