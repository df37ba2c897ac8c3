/** Divides long work into parts, so that other requests need not wait for all of it. */

import { createAlarm, TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";

/**
 * Lets one waiting task continue in each turn of the event loop, in order of arrival.
 *
 * @returns Resolves when it is the caller's turn.
 */
export function createFairQueue(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const setAlarm = createAlarm(0, () => {
    waiting.shift()?.();
    if (waiting.length > 0) setAlarm();
  });
  return () =>
    new Promise((resolve) => {
      if (TIMERS_END_WITH_REQUESTS) return void setTimeout(resolve, 0);
      waiting.push(resolve);
      setAlarm();
    });
}
