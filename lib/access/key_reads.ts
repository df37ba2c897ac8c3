/**
 * The reads by which a `KeyCache` learns the keys of a store. Requests begin them, so no timer runs while no request comes. Times are as in
 * `performance.now()`, and durations in milliseconds.
 */

import { resolvesWithin, sleep } from "../promises.ts";

/** A read that has not ended after this time is given up, so that another one may begin. */
export const GIVE_UP_AFTER_MS = 10_000;

/**
 * The shortest time from the beginning of a read to the beginning of a read for unknown keys. A flood of wrong keys costs the store at most
 * one read in this time.
 */
const UNKNOWN_KEY_INTERVAL_MS = 50;

export interface Read {
  /** Later reads have higher numbers. */
  readonly number: number;
  readonly begunAt: number;
  /** It is undefined as long as the read has not ended. */
  endedAt: number | undefined;
  /** Resolves when the keys have been read, and rejects if they cannot be. */
  readonly done: Promise<void>;
}

export class KeyReads {
  readonly #load: (number: number, begunAt: number) => Promise<void>;
  #latest: Read | undefined;
  /** The next read for unknown keys. It is set while that read is planned and has not begun, and resolves when the read has ended. */
  #planned: Promise<void> | undefined;

  /** @param load Reads the keys. It gets the number of the read, and when it began. */
  constructor(load: (number: number, begunAt: number) => Promise<void>) {
    this.#load = load;
  }

  /** The number of the read that began last; 0 if there was none. */
  get latestNumber(): number {
    return this.#latest?.number ?? 0;
  }

  /** Begins a read, whether or not another one is under way. */
  begin(): Read {
    const number = this.latestNumber + 1, begunAt = performance.now();
    const done = this.#load(number, begunAt).finally(() => {
      read.endedAt = performance.now();
    });
    const read: Read = { number, begunAt, endedAt: undefined, done };
    this.#latest = read;
    // Those who wait are told of a failure. If no one waits, it must not end the process as an unhandled rejection.
    done.catch(() => {});
    return read;
  }

  /** Begins a read, unless one is under way. The result is the read that is under way then. */
  join(now: number): Read {
    return this.#underWay(now) ?? this.begin();
  }

  /** Begins a read, unless one is under way or has begun within this time. */
  beginAtMostEvery(intervalMs: number, now: number): void {
    const isDue = now - (this.#latest?.begunAt ?? -Infinity) >= intervalMs;
    if (isDue && !this.#underWay(now)) this.begin();
  }

  /** Whether no read is under way, and none has ended within this time. */
  havePaused(timeMs: number, now: number): boolean {
    return !this.#underWay(now) && now - (this.#latest?.endedAt ?? -Infinity) >= timeMs;
  }

  /**
   * Resolves after a read with a higher number than this one, and rejects if that read fails. All who call this meanwhile share one read,
   * which begins at the earliest `UNKNOWN_KEY_INTERVAL_MS` after the read that was the latest one at the first call.
   */
  after(number: number): Promise<void> {
    const read = this.#underWay(performance.now());
    if (read && read.number > number) return read.done;
    return this.#planned ??= this.#plan();
  }

  /**
   * Begins a read when the latest one of now has ended or is given up, and the interval has passed. A read that begins meanwhile, because the
   * keys were changed, is not waited for.
   */
  async #plan(): Promise<void> {
    const latest = this.#latest!, now = performance.now();
    if (this.#underWay(now)) await resolvesWithin(latest.begunAt + GIVE_UP_AFTER_MS - now, latest.done.catch(() => {}));
    await sleep(latest.begunAt + UNKNOWN_KEY_INTERVAL_MS - performance.now());
    // Requests that come from here on may have keys that the read below does not see. They wait for another one.
    this.#planned = undefined;
    await this.begin().done;
  }

  /** The latest read, if it has neither ended nor been given up. */
  #underWay(now: number): Read | undefined {
    const read = this.#latest;
    return read && read.endedAt === undefined && now - read.begunAt < GIVE_UP_AFTER_MS ? read : undefined;
  }
}
