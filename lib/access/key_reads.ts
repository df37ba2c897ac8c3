/**
 * The reads by which a `KeyCache` learns the keys of a store. Requests begin them, so no timer runs while no request comes. Times are as in
 * `performance.now()`, and durations in milliseconds.
 */

import { IN_WORKERS } from "../http/platform.ts";
import { sleep } from "../promises.ts";

/** A read that has not ended after this time is given up, so that another one may begin. Who waits for it gives up by then. */
export const GIVE_UP_AFTER_MS = 10_000;

/**
 * The shortest time between the beginnings of two reads that requests wait for. A flood of wrong keys costs the store at most one read in this
 * time.
 */
const MIN_INTERVAL_MS = 50;

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

  /** Resolves after the read that is under way, or after a new one. Rejects if it fails. */
  join(now: number): Promise<void> {
    return this.after(this.#underWay(now) ? this.latestNumber - 1 : this.latestNumber);
  }

  /**
   * Resolves after a read with a higher number than this one, and rejects if that read fails. All who wait share the reads: who finds that
   * nobody else has begun one, begins it.
   */
  async after(number: number): Promise<void> {
    while (this.#endedNumber <= number) {
      const last = this.#latest;
      if (last) await this.#pauseAfter(last, number);
      const mustBegin = this.#endedNumber <= number && this.#latest === last;
      if (mustBegin) return await this.begin();
    }
    const { failure } = this.#ended!;
    if (failure) throw failure.error;
  }

  /** Waits until the next read may begin: reads that requests wait for do not overlap, and there is a pause between two. */
  async #pauseAfter(read: Read, number: number): Promise<void> {
    // In Workers, a read ends with the request that has begun it, perhaps without a result. So no other request waits for it there: each looks
    // for the result after the pause, and then reads by itself.
    if (!IN_WORKERS && this.#underWay(performance.now())) await read.done.catch(() => {});
    if (this.#endedNumber <= number) await sleep(read.begunAt + MIN_INTERVAL_MS - performance.now());
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

  get #endedNumber(): number {
    return this.#ended?.number ?? 0;
  }

  /** The latest read, if it has neither ended nor been given up. */
  #underWay(now: number): Read | undefined {
    const read = this.#latest;
    if (!read || read.endedAt !== undefined) return undefined;
    return now - read.begunAt < GIVE_UP_AFTER_MS ? read : undefined;
  }
}
