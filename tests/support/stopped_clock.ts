/** Time that passes as a test says. */

import { whileReplaced } from "./while_replaced.ts";

/** Runs `work` while `performance.now()` stands still. `pass` moves it on by milliseconds. */
export async function withStoppedClock(work: (pass: (milliseconds: number) => void) => Promise<void>): Promise<void> {
  // Whole, so that a sum is exact.
  let time = Math.ceil(performance.now());
  await whileReplaced(performance, { now: () => time }, () => work((milliseconds) => time += milliseconds));
}

/** Calls `work`. The timers that it sets before it returns end at once. */
export function withShortTimers<T>(work: () => T): T {
  const { setTimeout } = globalThis;
  const shortened = (run: (...parts: unknown[]) => void, _: number, ...parts: unknown[]) =>
    setTimeout(run, 0, ...parts);
  globalThis.setTimeout = shortened as typeof setTimeout;
  try {
    return work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}
