/** Time that passes as a test says. */

import { whileReplaced } from "./while_replaced.ts";

/** Runs `work` while `performance.now()` stands still. `pass` moves it on by milliseconds. */
export async function withStoppedClock(work: (pass: (milliseconds: number) => void) => Promise<void>): Promise<void> {
  // Whole, so that a sum is exact.
  let time = Math.ceil(performance.now());
  await whileReplaced(performance, { now: () => time }, () => work((milliseconds) => time += milliseconds));
}
