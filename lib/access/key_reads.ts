/**
 * When the keys of a store are read. Requests begin the reads, so nothing runs while no request comes. On most hosts, requests share them. In
 * Workers, each request has reads of its own.
 */

import { sleep } from "../promises.ts";

/** The time after the beginning of the last read from which on a request begins another one. */
const RENEW_AFTER_MS = 500;

/** The shortest time between two reads that requests wait for. A flood of wrong keys costs the store one read in this time. */
const MIN_INTERVAL_MS = 50;

/** A read of the store. It may end after one that began later. */
export interface Read {
  /** Counts the reads in the order in which they begin, because several may begin at one time of a coarse clock, as in Workers. */
  readonly number: number;
  /** When the read began, as in `performance.now()`. */
  readonly beganAt: number;
}

/** The reads of one store: one at a time, for all requests. */
export class KeyReads {
  /** The read that began last. */
  last: Read = NO_READ;
  readonly #carryOut: (read: Read) => Promise<void>;
  /** Resolves when the last read has ended, well or not. It is undefined if it has. */
  #underWay: Promise<void> | undefined;

  /** @param carryOut Carries out a read. Rejects if it fails. */
  constructor(carryOut: (read: Read) => Promise<void>) {
    this.#carryOut = carryOut;
  }

  /**
   * Begins a read, also if another one is under way, which may have begun before a change. Rejects if it fails. A caller need not wait: the
   * rejection is handled here, and so cannot end the process.
   */
  begin(): Promise<void> {
    this.last = { number: this.last.number + 1, beganAt: performance.now() };
    const outcome = this.#carryOut(this.last);
    const underWay = outcome.catch(() => {}).then(() => {
      if (this.#underWay === underWay) this.#underWay = undefined;
    });
    this.#underWay = underWay;
    return outcome;
  }

  /**
   * Is called for each request that comes while known keys can be used. Begins a read in the background if one is due.
   *
   * @returns Whether the request may use the known keys. Otherwise it waits for a read.
   */
  keepFresh(now: number): boolean {
    if (isDue(this.last, now) && !this.#underWay) this.begin();
    return true;
  }

  /** Waits for a read, or until one may begin. A request that waits for a certain read calls this again and again. */
  advance(): Promise<void> {
    return this.#underWay ?? pauseOrBegin(this);
  }
}

/**
 * In Workers, a read may end with the request that has begun it, without a result. So no request waits for the read of another, and none leaves
 * a read behind.
 */
export class WorkerKeyReads extends KeyReads {
  /** If a read is due, the request waits for one. */
  override keepFresh(now: number): boolean {
    return !isDue(this.last, now);
  }

  override advance(): Promise<void> {
    return pauseOrBegin(this);
  }
}

/** Stands for the last read before the first one. */
const NO_READ: Read = { number: 0, beganAt: -Infinity };

function isDue(last: Read, now: number): boolean {
  return now - last.beganAt >= RENEW_AFTER_MS;
}

/** Waits until the next read may begin, or carries it out if it may. */
async function pauseOrBegin(reads: KeyReads): Promise<void> {
  const pauseMs = reads.last.beganAt + MIN_INTERVAL_MS - performance.now();
  if (pauseMs > 0) await sleep(pauseMs);
  else await reads.begin().catch(() => {});
}
