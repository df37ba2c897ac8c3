/**
 * The reads by which a `KeyCache` learns the keys of a store. Requests begin them, so no timer runs while no request comes. Times are as in
 * `performance.now()`, and durations in milliseconds.
 *
 * In Workers, a read ends with the request that has begun it, perhaps without a result. So no request there waits for the read of another
 * one: it looks for the result, and then reads by itself.
 */

import { IN_WORKERS } from "../http/platform.ts";
import { resolvesWithin, sleep } from "../promises.ts";

/** A read that has not ended after this time is given up, so that another one may begin. */
export const GIVE_UP_AFTER_MS = 10_000;

/**
 * The shortest time between the beginnings of two reads for unknown keys, and in Workers of all reads that requests wait for. A flood of
 * wrong keys costs the store at most one read in this time.
 */
const UNKNOWN_KEY_INTERVAL_MS = 50;

interface Read {
  /** The first read has the number 1, and each read one more than the read that began before it. */
  readonly number: number;
  readonly begunAt: number;
  /** Resolves when the keys have been read, and rejects if they cannot be. */
  readonly done: Promise<void>;
  /** It is undefined as long as the read has not ended. */
  endedAt?: number;
  /** What the read has thrown, for requests that must not wait for its promise. It is undefined if it has succeeded. */
  failure?: { error: unknown } | undefined;
}

export class KeyReads {
  readonly #load: (number: number, begunAt: number) => Promise<void>;
  #latest: Read | undefined;
  /** The read with the highest number of those that have ended. */
  #ended: Read | undefined;
  /** The next read for unknown keys. It is set while that read is planned and has not begun, and resolves when the read has ended. */
  #planned: Promise<void> | undefined;

  /** @param load Reads the keys. It gets the number of the read, and when it began. */
  constructor(load: (number: number, begunAt: number) => Promise<void>) {
    this.#load = load;
  }

  /** The number of the read that has begun last, or 0 before the first one. */
  get latestNumber(): number {
    return this.#latest?.number ?? 0;
  }

  /** Begins a read, whether or not another one is under way. Resolves after it, and rejects if it fails. */
  begin(): Promise<void> {
    const number = this.latestNumber + 1;
    const begunAt = performance.now();
    const done = this.#load(number, begunAt);
    const read: Read = { number, begunAt, done };
    const noteEnd = (failure?: Read["failure"]) => {
      read.endedAt = performance.now();
      read.failure = failure;
      if (number > this.#endedNumber) this.#ended = read;
    };
    // A failure is told to those who wait for `done`. If none does, this handler keeps it from ending the process.
    done.then(() => noteEnd(), (error) => noteEnd({ error }));
    this.#latest = read;
    return done;
  }

  /** Begins a read, unless one is under way. Resolves after the read that is under way then, and rejects if it fails. */
  join(now: number): Promise<void> {
    if (IN_WORKERS) return this.#lookAfter(this.#endedNumber);
    return this.#underWay(now)?.done ?? this.begin();
  }

  /**
   * Begins a read, unless one is under way or has begun within this time. The result is a read that the request must wait for, since it
   * would end with the request.
   */
  beginAtMostEvery(intervalMs: number, now: number): Promise<void> | undefined {
    const isDue = now - (this.#latest?.begunAt ?? -Infinity) >= intervalMs;
    if (!isDue) return undefined;
    if (IN_WORKERS) return this.begin();
    if (!this.#underWay(now)) this.begin();
    return undefined;
  }

  /** Whether no read is under way, and none has ended within this time. */
  havePaused(timeMs: number, now: number): boolean {
    return !this.#underWay(now) && now - (this.#latest?.endedAt ?? -Infinity) >= timeMs;
  }

  /**
   * Resolves after a read with a higher number than this one, at once if such a read has succeeded. Rejects if the read fails. If none is
   * under way, a read for unknown keys is planned, and all who call this before it begins share it.
   */
  after(number: number): Promise<void> {
    if (IN_WORKERS) return this.#lookAfter(number);
    if (this.#endedNumber > number && !this.#ended?.failure) return Promise.resolve();
    const read = this.#underWay(performance.now());
    if (read && read.number > number) return read.done;
    this.#planned ??= this.#beginLater();
    return this.#planned;
  }

  /**
   * Begins a read for unknown keys, after the present one and not too soon. Only the read that is the latest at the call is waited for. One
   * that begins meanwhile for another reason, such as a change of the keys, does not delay this one: a row of changes would delay it for ever.
   */
  async #beginLater(): Promise<void> {
    const { begunAt, done } = this.#latest!;
    // Reads for unknown keys do not overlap.
    const now = performance.now();
    if (this.#underWay(now)) await resolvesWithin(begunAt + GIVE_UP_AFTER_MS - now, done.catch(() => {}));
    // A flood of wrong keys must not begin one read after the other, so there is a pause between two.
    await sleep(begunAt + UNKNOWN_KEY_INTERVAL_MS - performance.now());
    // Requests that come from here on may have keys that the read below does not see. They wait for another one.
    this.#planned = undefined;
    await this.begin();
  }

  get #endedNumber(): number {
    return this.#ended?.number ?? 0;
  }

  /**
   * Does in Workers what {@link after} does, and waits only for timers and reads of this request. It looks for the result of a read that
   * another request has begun. If that does not come in time, it begins one.
   */
  async #lookAfter(number: number): Promise<void> {
    while (this.#endedNumber <= number) {
      const pauseMs = (this.#latest?.begunAt ?? -Infinity) + UNKNOWN_KEY_INTERVAL_MS - performance.now();
      if (pauseMs <= 0) return await this.begin();
      await sleep(pauseMs);
    }
    const { failure } = this.#ended!;
    if (failure) throw failure.error;
  }

  /** The latest read, if it has neither ended nor been given up. */
  #underWay(now: number): Read | undefined {
    const read = this.#latest;
    if (!read || read.endedAt !== undefined) return undefined;
    return now - read.begunAt < GIVE_UP_AFTER_MS ? read : undefined;
  }
}
