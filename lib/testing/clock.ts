/** A clock that is wrong, as that of a server may be. */

/** Lets `work` run with a `Date` that is so many milliseconds ahead. Timers and `performance.now()` stay right. */
export async function withClock<T>(ahead: number, work: () => Promise<T>): Promise<T> {
  const Right = globalThis.Date;
  class Wrong extends Right {
    constructor(...parts: unknown[]) {
      super(...(parts.length === 0 ? [Right.now() + ahead] : parts) as [number]);
    }

    static override now(): number {
      return Right.now() + ahead;
    }
  }
  globalThis.Date = Wrong as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = Right;
  }
}
