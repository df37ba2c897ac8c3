/**
 * Decides when reads of the keys of a store begin, and lets requests wait for the end of one that began late enough for them. The key cache
 * has one `KeyReads`, and says what a read does. Reads are told apart by numbers, because several may begin within one tick of the clock.
 *
 * Times are as in `performance.now()`, and durations in milliseconds.
 */

import { IN_WORKERS } from "../http/platform.ts";
import { sleep } from "../promises.ts";

/** The age of the latest read from which on a request begins another one for later requests. */
const RENEW_AFTER_MS = 400;

/**
 * The shortest time between the beginnings of two reads that requests wait for. A flood of wrong keys costs the store at most one read in this
 * time.
 */
const MIN_INTERVAL_MS = 50;

/** The longest that a read counts as under way. One that takes longer is given up, so that another one may begin. */
export const GIVE_UP_AFTER_MS = 10_000;

/**
 * Whether a request may wait for a read that another request has begun, and a read may go on when its request has ended. In Workers, a read
 * ends with the request that has begun it, perhaps without a result. So a request waits there for its own reads alone, and looks whether those
 * of others have ended.
 */
const READS_ARE_SHARED = !IN_WORKERS;

/** A read that has begun. */
export interface Read {
  /** The first read has the number 1, and each read one more than the read that began before it. */
  readonly number: number;
  readonly begunAt: number;
}

export class KeyReads {
  readonly #carryOut: (read: Read) => Promise<void>;
  /** The read that has begun last. Before there is one, its number is 0. */
  #latest: Read = { number: 0, begunAt: -Infinity };
  /** Resolves when the latest read has ended, well or not. */
  #endOfLatest: Promise<void> = Promise.resolve();
  /** The highest number of a read that has ended, well or not. Reads may end in another order than they began. */
  #newestEnded = 0;

  /** @param carryOut What a read does. Rejects if it fails. */
  constructor(carryOut: (read: Read) => Promise<void>) {
    this.#carryOut = carryOut;
  }

  /** The number of the read that will begin next. */
  get nextNumber(): number {
    return this.#latest.number + 1;
  }

  /** Whether the latest read has neither ended nor been given up. */
  isUnderWay(now: number): boolean {
    return !this.#hasEnded(this.#latest.number) && now - this.#latest.begunAt < GIVE_UP_AFTER_MS;
  }

  /** Begins a read, also if another one is under way. Resolves after it, and rejects if it fails. There is no time limit. */
  begin(): Promise<void> {
    const read: Read = { number: this.nextNumber, begunAt: performance.now() };
    this.#latest = read;
    const done = this.#carryOut(read).finally(() => {
      this.#newestEnded = Math.max(this.#newestEnded, read.number);
    });
    // The callers that wait for `done` get its failure. Without any, an unheard rejection would end the process.
    this.#endOfLatest = done.catch(() => {});
    return done;
  }

  /**
   * Begins a read for later requests, if it is time. In Workers, the read would end with the request, so the result is a promise that settles
   * after the read, and the request must wait for it.
   */
  renewInBackground(now: number): Promise<void> | undefined {
    if (now - this.#latest.begunAt < RENEW_AFTER_MS) return undefined;
    if (!READS_ARE_SHARED) return this.begin();
    if (!this.isUnderWay(now)) this.begin();
    return undefined;
  }

  /** Settles after the read that is under way, or else after a new one. */
  waitForNextEnd(now: number): Promise<void> {
    return this.waitFor(this.isUnderWay(now) ? this.#latest.number : this.nextNumber);
  }

  /**
   * Settles when the read with this number, or one that began after it, has ended. All waiting requests share the reads: the first one whose
   * pause ends begins the next read, and the others wait for it. A request also waits for a read under way that began too early for it, so
   * that the store carries out one read at a time.
   */
  async waitFor(number: number): Promise<void> {
    while (!this.#hasEnded(number)) {
      if (READS_ARE_SHARED && this.isUnderWay(performance.now())) await this.#endOfLatest;
      else await this.#beginAfterPause(number);
    }
  }

  /** Begins a read and waits for it, unless another request has begun one during the pause, or the awaited read has ended then. */
  async #beginAfterPause(number: number): Promise<void> {
    const latest = this.#latest;
    await sleep(latest.begunAt + MIN_INTERVAL_MS - performance.now());
    const mustBegin = this.#latest === latest && !this.#hasEnded(number);
    if (mustBegin) await this.begin();
  }

  /** Whether the read with this number, or one that began after it, has ended. */
  #hasEnded(number: number): boolean {
    return this.#newestEnded >= number;
  }
}
