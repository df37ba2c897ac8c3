/**
 * Results that are either ready or promised, since awaiting a ready result would cost several turns of the microtask queue; and waits with
 * a limit, which leave neither a timer nor a listener behind.
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

/** Calls `work`. If it throws or rejects, the result is that of `recover`, which gets the thrown value and must not throw. */
export function attempt<T>(work: () => MaybePromise<T>, recover: (thrown: unknown) => T): MaybePromise<T> {
  try {
    const value = work();
    return isPromise(value) ? value.then(undefined, recover) : value;
  } catch (thrown) {
    return recover(thrown);
  }
}

/** Calls a function of the app and waits for nothing. Its exception or rejection must neither stop a response nor end the process. */
export function callSafely(call: () => unknown): void {
  (async () => await call())().catch(() => {});
}

/** Tells the source of a stream that the rest will not be read, without waiting for its answer, which may never come. */
export function discard(stream: { cancel(): Promise<unknown> }): void {
  callSafely(() => stream.cancel());
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
export async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  // This is not `Promise.race()`: a promise of the abort would keep each result for as long as the signal lives.
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
