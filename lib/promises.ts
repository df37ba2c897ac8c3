/** Results that are either ready or promised. Awaiting a ready result would cost several turns of the microtask queue. */

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether `value` is a promise. Checks for `then`, so that promises from another realm count too. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** Calls `next` with the value: at once if it is ready, otherwise when the promise resolves. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  // Promise.resolve(), because a thenable of the app may return anything from then().
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** The result of `work`. If it throws or rejects, the result of `recover` with the thrown value. */
export function attempt<T>(work: () => MaybePromise<T>, recover: (thrown: unknown) => T): MaybePromise<T> {
  try {
    const value = work();
    return isPromise(value) ? value.then(undefined, recover) : value;
  } catch (thrown) {
    return recover(thrown);
  }
}

/** Calls a function of the app, whose exception or rejection must neither stop a response nor end the process. */
export function callSafely(call: () => unknown): void {
  (async () => await call())().catch(() => {});
}
