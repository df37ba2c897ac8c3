/** Puts the timers of a test under a scheduler of fast-check, so that it chooses when each fires, and none takes time. */

import type fc from "fast-check";

/** Runs `use` with timers that fire in the order of the scheduler, whatever their times. */
export async function withScheduledTimers<T>(scheduler: fc.Scheduler, use: () => Promise<T>): Promise<T> {
  const { setTimeout, setImmediate, clearTimeout } = globalThis;
  const waiting = new Set<number>();
  let last = 0;
  const add = (name: string) => (run: (...args: unknown[]) => void, ...args: unknown[]) => {
    const id = ++last;
    waiting.add(id);
    const fire = () => waiting.delete(id) && run(...args);
    // Not awaited: fast-check would take what a timer starts for a part of it.
    void scheduler.schedule(Promise.resolve(), name).then(fire);
    return id;
  };
  const timer = add("timer");
  Object.assign(globalThis, {
    setImmediate: add("next turn"),
    setTimeout: (run: () => void, _ms: number, ...args: unknown[]) => timer(run, ...args),
    clearTimeout: (id: number) => waiting.delete(id),
  });
  try {
    return await use();
  } finally {
    Object.assign(globalThis, { setTimeout, setImmediate, clearTimeout });
  }
}
