/**
 * The reads by which a `KeyCache` learns the keys of a store. Requests begin them, so no timer runs while no request comes. Times are as in
 * `performance.now()`, and durations in milliseconds.
 */

import { resolvesWithin, sleep } from "../promises.ts";

/** A read that has not ended after this time is given up, so that another one may begin. */
export const GIVE_UP_AFTER_MS = 10_000;

/**
 * The shortest time between the beginnings of two reads for unknown keys. A flood of wrong keys costs the store at most one read in this
 * time.
 */
const UNKNOWN_KEY_INTERVAL_MS = 50;

export interface Read {
  /** The first read has the number 1, and each read one more than the read that began before it. */
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

  /** The number of the read that has begun last, or 0 before the first one. */
  get latestNumber(): number {
    return this.#latest?.number ?? 0;
  }

  /** Begins a read, whether or not another one is under way. */
  begin(): Read {
    const number = this.latestNumber + 1;
    const begunAt = performance.now();
    const done = this.#load(number, begunAt);
    const read: Read = { number, begunAt, endedAt: undefined, done };
    const noteEnd = () => {
      read.endedAt = performance.now();
    };
    // A failure is told to those who wait for `done`. If none does, this handler keeps it from ending the process.
    done.then(noteEnd, noteEnd);
    this.#latest = read;
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
   * Resolves after a read with a higher number than this one, and rejects if that read fails. If none is under way, a read for unknown keys
   * is planned, and all who call this before it begins share it.
   */
  after(number: number): Promise<void> {
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
    await this.begin().done;
  }

  /** The latest read, if it has neither ended nor been given up. */
  #underWay(now: number): Read | undefined {
    const read = this.#latest;
    if (!read || read.endedAt !== undefined) return undefined;
    return now - read.begunAt < GIVE_UP_AFTER_MS ? read : undefined;
  }
}
