/** When the keys of a store are read. Requests begin the reads, so nothing runs while no request comes. */

import { IN_WORKERS } from "../http/platform.ts";
import { sleep } from "../promises.ts";
import { MIN_INTERVAL_MS, RENEW_AFTER_MS } from "./key_times.ts";

/**
 * Whether a request may wait for a read that another one has begun. In Workers, a read may end with
 * the request that has begun it, without a result. So each request there waits for its own reads,
 * and leaves none behind.
 */
export const READS_ARE_SHARED: boolean = !IN_WORKERS;

/** A read of the store. It may end after one that began later. */
export interface Read {
  /** Counts the reads. Times would not do: several reads may begin at one time of a coarse clock, as in Workers. */
  readonly number: number;
  /** When the read began, as in `performance.now()`. */
  readonly beganAt: number;
}

export class KeyReads {
  /** The read that began last. */
  last: Read = { number: 0, beganAt: -Infinity };
  readonly #carryOut: (read: Read) => Promise<void>;
  /** Resolves when the last read has ended, well or not. It is undefined if it has. */
  #underWay: Promise<void> | undefined;

  /** @param carryOut Carries out a read. Rejects if it fails. */
  constructor(carryOut: (read: Read) => Promise<void>) {
    this.#carryOut = carryOut;
  }

  /**
   * Begins a read, also if another one is under way, which may have begun before a change. Rejects
   * if it fails. A caller need not wait: a rejection does not end the process.
   */
  begin(): Promise<void> {
    const read = { number: this.last.number + 1, beganAt: performance.now() };
    this.last = read;
    const outcome = this.#carryOut(read);
    this.#underWay = this.#untilEnded(read, outcome);
    return outcome;
  }

  async #untilEnded(read: Read, outcome: Promise<void>): Promise<void> {
    await outcome.catch(() => {});
    if (this.last === read) this.#underWay = undefined;
  }

  /** Whether the known keys are so old that a request should begin a read. */
  isDue(now: number): boolean {
    return now - this.last.beganAt >= RENEW_AFTER_MS;
  }

  /** Begins a read that no request waits for, unless one is under way. */
  beginInBackground(): void {
    if (!this.#underWay) this.begin();
  }

  /** Waits for one step: the end of the read under way, the end of the pause after a read, or a read that it begins. */
  async waitForStep(): Promise<void> {
    const pauseMs = this.last.beganAt + MIN_INTERVAL_MS - performance.now();
    if (READS_ARE_SHARED && this.#underWay) await this.#underWay;
    else if (pauseMs > 0) await sleep(pauseMs);
    else await this.begin().catch(() => {});
  }
}
