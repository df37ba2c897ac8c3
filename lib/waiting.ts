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

/**
 * Waits for a promise, or for the abort of a signal.
 *
 * @throws The reason of the signal, if it is aborted first.
 */
export async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  // This is not `Promise.race()`, because a signal that is never aborted would keep each result.
  const { promise: result, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  promise.then(resolve, reject);
  try {
    return await result;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
