/**
 * Decides when reads of the keys of a store begin, and lets requests wait for the end of one that began late enough for them. The key cache
 * has one `KeyReads`, and says what a read does.
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
 * Whether a read ends with the request that has begun it, perhaps without a result. This is so in Workers. There, a request waits for each read
 * that it begins. It never waits for the reads of others, and only looks whether they have ended.
 */
export const READS_END_WITH_REQUESTS: boolean = IN_WORKERS;

/** A read that has begun. */
export interface Read {
  /** Each read has a higher number than those that began before it. Several may begin within one tick of the clock. */
  readonly number: number;
  readonly begunAt: number;
}

export class KeyReads {
  readonly #load: (read: Read) => Promise<void>;
  /** The read that has begun last. Before there is one, its number is 0. */
  latest: Read = { number: 0, begunAt: -Infinity };
  /** Resolves when the latest read has ended, well or not. */
  #endOfLatest: Promise<void> = Promise.resolve();
  /** The highest number of a read that has ended, well or not. Reads may end in another order than they began. */
  #newestEnded = 0;

  /** @param load What a read does. Rejects if it fails. */
  constructor(load: (read: Read) => Promise<void>) {
    this.#load = load;
  }

  /** Whether the latest read has neither ended nor been given up. */
  isUnderWay(now: number): boolean {
    return this.#newestEnded < this.latest.number && now - this.latest.begunAt < GIVE_UP_AFTER_MS;
  }

  /**
   * Begins a read, also if another one is under way. Resolves after it, and rejects if it fails. There is no time limit. A caller need not
   * wait: the failure of a read without a waiting caller is ignored here, and would otherwise end the process.
   */
  readNow(): Promise<void> {
    const read: Read = { number: this.latest.number + 1, begunAt: performance.now() };
    this.latest = read;
    const done = this.#load(read).finally(() => {
      this.#newestEnded = Math.max(this.#newestEnded, read.number);
    });
    this.#endOfLatest = done.catch(() => {});
    return done;
  }

  /** Begins a read for later requests, if it is time. The result is undefined if it is not. */
  readIfOld(now: number): Promise<void> | undefined {
    const isOld = now - this.latest.begunAt >= RENEW_AFTER_MS;
    return isOld && !this.#isShareable(now) ? this.readNow() : undefined;
  }

  /** Settles after the read that is under way, or else after a new one. */
  waitForNextEnd(now: number): Promise<void> {
    return this.#waitFor(this.latest.number + (this.isUnderWay(now) ? 0 : 1));
  }

  /** Settles after a read that began after this one. */
  waitForReadBegunAfter({ number }: Read): Promise<void> {
    return this.#waitFor(number + 1);
  }

  /**
   * Settles when the read with this number, or one that began after it, has ended. All waiting requests share the reads: the first one whose
   * pause ends begins the next read, and the others wait for it. A request also waits for a read under way that began too early for it, so
   * that the store carries out one read at a time.
   */
  async #waitFor(number: number): Promise<void> {
    while (this.#newestEnded < number) {
      const { latest } = this;
      if (this.#isShareable(performance.now())) {
        await this.#endOfLatest;
      } else {
        await sleep(latest.begunAt + MIN_INTERVAL_MS - performance.now());
        // During the pause, another request may have begun a read, or the awaited one may have ended.
        if (this.latest === latest && this.#newestEnded < number) await this.readNow();
      }
    }
  }

  /** Whether the latest read is under way, and other requests may wait for it. */
  #isShareable(now: number): boolean {
    return !READS_END_WITH_REQUESTS && this.isUnderWay(now);
  }
}
