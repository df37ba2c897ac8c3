/** Time that passes only when nothing else is left to do, and then at once. */

import { setImmediate } from "node:timers";
import { whileReplaced } from "./while_replaced.ts";

/** How often the event loop turns before time passes: reading a body may take some turns. */
const TURNS = 5;

/**
 * How long no timer may be set before the test counts as hung, in milliseconds of real time. A
 * digest is computed by another thread.
 */
const MAX_IDLE_MS = 10_000;

export interface VirtualClock {
  /** Milliseconds since the beginning. */
  now: () => number;
  /** How many timers are set. */
  pending: () => number;
}

/**
 * Runs `use` with timers and a `performance.now()` of virtual time. Nothing in it may wait for
 * files, sockets or threads.
 *
 * @throws {Error} If it waits for nothing that could still happen.
 */
export async function withVirtualClock<T>(use: (clock: VirtualClock) => Promise<T>): Promise<T> {
  const timers = new Map<number, { at: number; run: () => void }>();
  const realTime = performance.now.bind(performance);
  let now = 0;
  let last = 0;
  let isOver = false;
  const { promise: hung, reject } = Promise.withResolvers<never>();
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const flow = async () => {
    let busyAt = realTime();
    while (!isOver) {
      for (let i = 0; i < TURNS; i++) await turn();
      const [next] = [...timers].sort(([, a], [, b]) => a.at - b.at);
      if (!next && realTime() - busyAt > MAX_IDLE_MS) reject(new Error("No timer is set, and the test has not ended"));
      if (!next || isOver) continue;
      busyAt = realTime();
      timers.delete(next[0]);
      now = next[1].at;
      next[1].run();
    }
  };
  const members = {
    setTimeout(run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) {
      timers.set(++last, { at: now + milliseconds, run: () => run(...args) });
      return last;
    },
    clearTimeout: (id: number) => timers.delete(id),
    // Node reads other members of it when `fetch` is first used.
    performance: Object.create(performance, { now: { value: () => now } }),
  };
  return await whileReplaced(globalThis as object, members, async () => {
    const flowing = flow();
    try {
      return await Promise.race([use({ now: () => now, pending: () => timers.size }), hung]);
    } finally {
      isOver = true;
      await flowing;
    }
  });
}
