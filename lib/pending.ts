/** Results that are either ready or promised. Awaiting a ready result would cost several turns of the microtask queue. */

/** A value, or a promise of it. */
export type Pending<T> = T | Promise<T>;

/** Whether `value` is a promise. Checks for `then`, so that promises from another realm count too. */
export function isPending<T>(value: Pending<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** Calls `next` with the value: at once if it is ready, otherwise when the promise resolves. */
export function chain<T, U>(value: Pending<T>, next: (value: T) => Pending<U>): Pending<U> {
  return isPending(value) ? value.then(next) : next(value);
}

/** The result of `work`. If it throws or rejects, the result of `recover` with the thrown value. */
export function attempt<T>(work: () => Pending<T>, recover: (thrown: unknown) => T): Pending<T> {
  try {
    const value = work();
    return isPending(value) ? value.then(undefined, recover) : value;
  } catch (thrown) {
    return recover(thrown);
  }
}
