/** Deadlines that begin, end and expire in any order. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createDeadlines } from "../../lib/http/deadlines.ts";

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

test("a deadline expires once, in time and only if it was not ended, and no timer runs without one", () => {
  fc.assert(fc.property(STEPS, (steps) => withClock((clock) => check(steps, clock))), { numRuns: 1000 });
});

function check(steps: readonly Step[], clock: Clock): void {
  const begin = createDeadlines(LENGTH, false);
  const begun: Begun[] = [];
  for (const step of steps) {
    if (step === "begin") {
      const entry: Partial<Begun> = { due: clock.now + LENGTH, hasEnded: false, hasExpired: false };
      entry.end = begin(() => {
        assert.ok(!entry.hasExpired && !entry.hasEnded && clock.now >= entry.due!);
        entry.hasExpired = true;
      });
      begun.push(entry as Begun);
    } else if ("end" in step) {
      const entry = begun[step.end];
      entry?.end();
      if (entry) entry.hasEnded = true;
    } else {
      clock.pass(step.pass);
      for (const { due, hasEnded, hasExpired } of begun) assert.ok(hasEnded || hasExpired || due + TICK > clock.now);
    }
  }
  clock.pass(2 * LENGTH);
  assert.ok(begun.every(({ hasEnded, hasExpired }) => hasEnded || hasExpired));
  assert.equal(clock.timers.size, 0);
}

test("after the host has lost the timer, also if it gives it back, deadlines expire when another has begun, and none too early", () => {
  withClock((clock) => {
    const begin = createDeadlines(LENGTH, false);
    const expired: string[] = [];
    begin(() => expired.push("first"));
    clock.lose();
    clock.pass(10 * LENGTH);
    begin(() => expired.push("second"));
    // A timer that seemed lost may fire after all.
    clock.giveBack();
    clock.pass(LENGTH - 1);
    assert.deepEqual(expired, []);
    clock.pass(TICK + 1);
    assert.deepEqual(expired, ["first", "second"]);
  });
});

test("a deadline that is alone expires, although the host has lost the timer when the one before it had ended", () => {
  withClock((clock) => {
    const begin = createDeadlines(LENGTH, false);
    begin(() => {})();
    clock.lose();
    clock.pass(10 * LENGTH);
    let hasExpired = false;
    begin(() => hasExpired = true);
    clock.pass(LENGTH + TICK);
    assert.equal(hasExpired, true);
  });
});

test("where a timer ends with its request, as on Workers, each deadline has its own, which is cleared", () => {
  withClock((clock) => {
    const begin = createDeadlines(LENGTH, true);
    let expired = 0;
    begin(() => expired++);
    clock.pass(LENGTH - 1);
    assert.equal(expired, 0);
    clock.pass(1);
    assert.equal(expired, 1);
    begin(() => expired++)();
    assert.equal(clock.timers.size, 0);
  });
});

interface Timer {
  at: number;
  run: () => void;
}

interface Clock {
  now: number;
  /** The timers that will fire. */
  timers: Set<Timer>;
  /** Makes the timers not fire, as a host that suspends an isolate may do. */
  lose(): void;
  /** Fires the timers that were lost, unless they were cleared. */
  giveBack(): void;
  /** Lets the time pass, and the timers fire. */
  pass(milliseconds: number): void;
}

/** Runs `use` with a clock and timers that move when they are told to. */
function withClock(use: (clock: Clock) => void): void {
  const { setTimeout, clearTimeout } = globalThis, { now } = performance;
  let lost = new Set<Timer>();
  const clock: Clock = {
    now: 0,
    timers: new Set(),
    lose() {
      [lost, clock.timers] = [clock.timers, new Set()];
    },
    giveBack() {
      for (const { run } of lost) run();
    },
    pass(milliseconds) {
      const end = clock.now + milliseconds;
      for (;;) {
        const [next] = [...clock.timers].sort((a, b) => a.at - b.at);
        if (!next || next.at > end) break;
        clock.timers.delete(next);
        clock.now = next.at;
        next.run();
      }
      clock.now = end;
    },
  };
  performance.now = () => clock.now;
  Object.assign(globalThis, {
    setTimeout(run: () => void, delay: number) {
      const timer = { at: clock.now + delay, run };
      clock.timers.add(timer);
      return timer;
    },
    clearTimeout(timer: Timer) {
      clock.timers.delete(timer);
      lost.delete(timer);
    },
  });
  try {
    use(clock);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    performance.now = now;
  }
}
