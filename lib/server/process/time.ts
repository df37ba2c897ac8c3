/** The units of times in settings and flags, in milliseconds. */
export const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Whether a promise resolves within a time limit. */
export async function resolvesWithin(timeoutMs: number, promise: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<boolean>((resolve) => timer = setTimeout(resolve, timeoutMs, false));
  const isInTime = await Promise.race([promise.then(() => true), timeout]);
  clearTimeout(timer);
  return isInTime;
}
