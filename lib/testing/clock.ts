/** Simulates a server whose clock is wrong, and time that passes. */

/** Runs `work` with a `Date` that is `ahead` milliseconds fast. Timers and `performance.now()` stay right. */
export async function withClock<T>(ahead: number, work: () => Promise<T>): Promise<T> {
  const RealDate = globalThis.Date;
  class ShiftedDate extends RealDate {
    constructor(...parts: unknown[]) {
      super(...(parts.length === 0 ? [RealDate.now() + ahead] : parts) as [number]);
    }

    static override now(): number {
      return RealDate.now() + ahead;
    }
  }
  globalThis.Date = ShiftedDate as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = RealDate;
  }
}

/** Runs `work` while `performance.now()` stands still. `pass` moves it on by milliseconds. */
export async function withStoppedClock(work: (pass: (milliseconds: number) => void) => Promise<void>): Promise<void> {
  const { now } = performance;
  // Whole, so that a sum is exact.
  let time = Math.ceil(performance.now());
  performance.now = () => time;
  try {
    await work((milliseconds) => time += milliseconds);
  } finally {
    performance.now = now;
  }
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
