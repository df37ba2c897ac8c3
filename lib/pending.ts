/**
 * Work that may be done already. A store in memory answers at once, a store across a network later. To await both would
 * cost a request of the first kind several turns of the microtask queue.
 */

/** A value, or a promise of it. */
export type Pending<T> = T | Promise<T>;

/** Whether `value` is still to come. Decided by `then`, so that promises of another realm count too. */
export function isPending<T>(value: Pending<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** `next(value)`, now if the value is there and later if it is not. */
export function chain<T, U>(value: Pending<T>, next: (value: T) => Pending<U>): Pending<U> {
  return isPending(value) ? value.then(next) : next(value);
}

/** The outcome of `work`, or of `recover` given what `work` threw or was rejected with. */
export function attempt<T>(work: () => Pending<T>, recover: (thrown: unknown) => T): Pending<T> {
  try {
    const value = work();
    return isPending(value) ? value.then(undefined, recover) : value;
  } catch (thrown) {
    return recover(thrown);
  }
}
