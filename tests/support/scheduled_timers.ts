/** Puts the timers of a test under a scheduler of fast-check, so that it chooses when each fires, and none takes time. */

import type fc from "fast-check";
import { whileReplaced } from "./while_replaced.ts";

/**
 * Runs `use` with timers that fire in the order of the scheduler, whatever their times.
 *
 * @param mayFire Whether a timer of so many milliseconds may fire at the moment.
 */
export async function withScheduledTimers<T>(
  scheduler: fc.Scheduler,
  mayFire: (milliseconds: number) => boolean,
  use: () => Promise<T>,
): Promise<T> {
  const waiting = new Set<number>();
  let last = 0;
  const add = (run: (...args: unknown[]) => void, milliseconds: number, ...args: unknown[]) => {
    const id = ++last;
    waiting.add(id);
    const fire = () => waiting.delete(id) && mayFire(milliseconds) && run(...args);
    // This is not awaited, because fast-check would take what a timer starts for a part of it.
    if (mayFire(milliseconds)) void scheduler.schedule(Promise.resolve(), `a timer of ${milliseconds} ms`).then(fire);
    return id;
  };
  const timers = {
    setImmediate: (run: () => void, ...args: unknown[]) => add(run, 0, ...args),
    setTimeout: add,
    clearTimeout: (id: number) => waiting.delete(id),
  };
  return await whileReplaced(globalThis as object, timers, use);
}
