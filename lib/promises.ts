/**
 * Results that are either ready or promised, since awaiting a ready result would cost several turns
 * of the microtask queue; and waits with a limit, which leave neither a timer nor a listener
 * behind.
 */

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether `value` is a promise. Checks for `then`, so that promises from another realm count too. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** Calls `next` with the value: at once if it is ready, otherwise when the promise resolves. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  // A thenable of the app may return anything from `then()`, so a real promise is made of it.
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/**
 * Calls `work`. If it throws or rejects, the result is that of `recover`, which gets the thrown
 * value and must not throw.
 */
export function attempt<T>(work: () => MaybePromise<T>, recover: (thrown: unknown) => T): MaybePromise<T> {
  try {
    const value = work();
    return isPromise(value) ? value.then(undefined, recover) : value;
  } catch (thrown) {
    return recover(thrown);
  }
}

/**
 * Calls a function of the app and waits for nothing. Its exception or rejection must neither stop a
 * response nor end the process.
 */
export function callSafely(call: () => unknown): void {
  (async () => await call())().catch(() => {});
}

/** Whether a promise resolves within a time limit, in milliseconds. Rejects if the promise does so within it. */
export async function resolvesWithin(timeoutMs: number, promise: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<boolean>((resolve) => timer = setTimeout(resolve, timeoutMs, false));
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves after this many milliseconds, or at once if the number is not positive. */
export async function sleep(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Waits for a promise, or for the abort of a signal.
 *
 * @throws The reason of the signal, if it is aborted first.
 */
export function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return waitUnless((giveUp) => {
    const abort = () => giveUp(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    return () => signal.removeEventListener("abort", abort);
  }, promise);
}

/**
 * Waits for a promise, unless something else ends the wait.
 *
 * @param watch Begins to watch for that. It gets a function that ends the wait with an error, and
 * returns one that ends the watch.
 */
export async function waitUnless<T>(
  watch: (giveUp: (error: unknown) => void) => () => void,
  promise: Promise<T>,
): Promise<T> {
  // `Promise.race()` would cost 0.2 µs more. It would also need a promise of the abort, which keeps
  // each result for as long as the signal lives.
  const { promise: outcome, resolve, reject } = Promise.withResolvers<T>();
  const endWatch = watch(reject);
  promise.then(resolve, reject);
  try {
    return await outcome;
  } finally {
    endWatch();
  }
}
