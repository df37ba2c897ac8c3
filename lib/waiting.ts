/** Waits with a time limit. A limit that is no longer needed leaves no timer, which would keep the process alive. */

/** Whether a promise resolves within a time limit, in milliseconds. */
export async function resolvesWithin(timeoutMs: number, promise: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<boolean>((resolve) => timer = setTimeout(resolve, timeoutMs, false));
  const isInTime = await Promise.race([promise.then(() => true), timeout]);
  clearTimeout(timer);
  return isInTime;
}

/** Resolves after this many milliseconds, or at once if there are none. */
export async function sleep(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
