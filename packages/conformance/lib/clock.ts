/**
 * Runs `work` with a `Date.now()` that is `ahead` milliseconds fast, as on a server whose clock is
 * wrong. Timers and `new Date()` stay right.
 */
export async function withClock<T>(ahead: number, work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() + ahead;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}
