/** Deadlines that begin, end and expire in any order. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createDeadlines } from "../../lib/http/deadlines.ts";
import { sleep } from "../../lib/promises.ts";
import { type VirtualClock, withVirtualClock } from "../support/virtual_clock.ts";
import { whileReplaced } from "../support/while_replaced.ts";

const LENGTH = 800;
/** How late a deadline may expire. */
const TICK = LENGTH / 8;

type Step = "begin" | { end: number } | { pass: number };

const STEPS = fc.array(
  fc.oneof(
    fc.constant<Step>("begin"),
    fc.record({ end: fc.nat(4) }),
    fc.record({ pass: fc.integer({ min: 1, max: LENGTH }) }),
  ),
  { maxLength: 60 },
);

interface Begun {
  end: () => void;
  due: number;
  hasEnded: boolean;
  hasExpired: boolean;
}

test("a deadline expires once, in time and only if it was not ended, and no timer runs without one", () =>
  fc.assert(fc.asyncProperty(STEPS, (steps) => withVirtualClock((clock) => check(steps, clock))), { numRuns: 300 }));

async function check(steps: readonly Step[], { now, pending }: VirtualClock): Promise<void> {
  const begin = createDeadlines(LENGTH, false);
  const begun: Begun[] = [];
  for (const step of steps) {
    if (step === "begin") {
      const entry: Begun = { end: () => {}, due: now() + LENGTH, hasEnded: false, hasExpired: false };
      entry.end = begin(() => {
        assert.ok(!entry.hasExpired && !entry.hasEnded && now() >= entry.due);
        entry.hasExpired = true;
      });
      begun.push(entry);
    } else if ("end" in step) {
      const entry = begun[step.end];
      entry?.end();
      if (entry) entry.hasEnded = true;
    } else {
      await sleep(step.pass);
      for (const { due, hasEnded, hasExpired } of begun) assert.ok(hasEnded || hasExpired || due + TICK >= now());
    }
  }
  await sleep(2 * LENGTH);
  assert.ok(begun.every(({ hasEnded, hasExpired }) => hasEnded || hasExpired));
  assert.equal(pending(), 0);
}

test("a deadline that is alone expires, although a host has held the timer back when the one before it had ended", () =>
  withVirtualClock(async () => {
    const begin = createDeadlines(LENGTH, false);
    const { setTimeout } = globalThis;
    const heldBack = (run: () => void) => setTimeout(run, 100 * LENGTH);
    await whileReplaced(globalThis, { setTimeout: heldBack as never }, () => begin(() => {})());
    await sleep(10 * LENGTH);
    let hasExpired = false;
    begin(() => hasExpired = true);
    await sleep(LENGTH + TICK + 1);
    assert.equal(hasExpired, true);
  }));

test("where a timer ends with its request, as on Workers, each deadline has its own, which is cleared", () =>
  withVirtualClock(async ({ pending }) => {
    const begin = createDeadlines(LENGTH, true);
    let expired = 0;
    begin(() => expired++);
    await sleep(LENGTH - 1);
    assert.equal(expired, 0);
    await sleep(1);
    assert.equal(expired, 1);
    begin(() => expired++)();
    assert.equal(pending(), 0);
  }));
