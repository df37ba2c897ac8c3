/** Simulates a server whose clock is wrong. */

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
