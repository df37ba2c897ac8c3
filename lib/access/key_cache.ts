/**
 * Keeps the keys of a store in memory while requests come, and reads them anew when they are old or when a key is not known. The key
 * manager has one. Requests begin the reads, so no timer runs while no request comes. How the keys are read is in load_keys.ts.
 *
 * Times are as in `performance.now()`, and durations in milliseconds.
 */

import { IN_WORKERS } from "../http/platform.ts";
import type { KeyStore } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { callSafely, chain, type MaybePromise, resolvesWithin, sleep } from "../promises.ts";
import type { KeyOwner, KeyRecord, KeyRing } from "./key_ring.ts";
import { type LoadedKeys, loadKeys } from "./load_keys.ts";

/** The age of the last read from which on a request begins another one. */
const RENEW_AFTER_MS = 400;

/** The age of the known keys from which on a request waits for a read. It counts from the beginning of the read that has found them. */
const WAIT_AFTER_MS = 900;

/** The longest that a request waits for a read if keys are known. After it, these keys count. */
const PATIENCE_MS = 1_000;

/** The longest that a request waits for a read if no keys are known. A read that takes longer is given up, so that another one may begin. */
const GIVE_UP_AFTER_MS = 10_000;

/**
 * The shortest time between the beginnings of two reads that requests wait for. A flood of wrong keys costs the store at most one read in this
 * time.
 */
const MIN_INTERVAL_MS = 50;

/**
 * Whether a request may wait for a read that another request has begun, and a read may go on when its request has ended. In Workers, a read
 * ends with the request that has begun it, perhaps without a result.
 */
const READS_ARE_SHARED = !IN_WORKERS;

/** A read that has begun. */
interface Read {
  /** The first read has the number 1, and each read one more than the read that began before it. */
  readonly number: number;
  readonly begunAt: number;
}

/** Stands for the latest read before there is one. */
const NO_READ: Read = { number: 0, begunAt: -Infinity };

/** What the last successful read has found. */
interface KnownKeys extends LoadedKeys {
  /** The read that has found these keys. */
  read: Read;
}

/** Why the keys cannot be read at the moment. */
interface Outage {
  error: unknown;
  /** When a read has failed last, or has taken longer than a request waits. */
  lastSeenAt: number;
}

/**
 * The keys of a store, as the requests that come need them. If the keys cannot be read ("an outage"), the last known ones stay valid.
 *
 * - A known key costs no wait while the keys are younger than {@link WAIT_AFTER_MS}, so a change by another program counts within a second.
 *   In an outage it costs none either, except at the first request after a pause.
 * - An unknown key waits for one read that begins after its request has come, because another program may have just added it. In an outage
 *   it is refused at once.
 * - In Workers, a request waits for its own reads alone, and looks whether those of others have ended: see {@link READS_ARE_SHARED}.
 *
 * For speed, a request with a known key gets its owner without a promise. So methods return a {@link MaybePromise}, and chain in place of
 * awaiting.
 */
export class KeyCache {
  readonly #store: KeyStore;
  /** Keys that are valid beside those of the store. */
  readonly #fixed: readonly KeyRecord[];
  readonly #onOutage: (error: unknown) => unknown;
  /** It is undefined until a read has succeeded, and is then replaced by each read that succeeds. */
  #known: KnownKeys | undefined;
  /** It is undefined while the keys can be read. */
  #outage: Outage | undefined;
  /** The read that has begun last, and a promise that resolves when it has ended, well or not. */
  #latest = NO_READ;
  #endOfLatest: Promise<void> = Promise.resolve();
  /** Of the reads that have ended, well or not, the one that began last. Reads may end in another order than they began. */
  #newestEnded = NO_READ;

  /** @param onOutage Called with the error when known keys cannot be read any more, and with `undefined` when they can be read again. */
  constructor(store: KeyStore, fixed: readonly KeyRecord[], onOutage: (error: unknown) => unknown) {
    this.#store = store;
    this.#fixed = fixed;
    this.#onOutage = onOutage;
  }

  /**
   * Finds the owner of a key. The result is undefined if there is no such key. A key that was in the store before the call is found, unless
   * the keys cannot be read. The promise rejects if the keys could not be read yet.
   *
   * @param now When the request came.
   */
  find(key: string, now: number): MaybePromise<KeyOwner | undefined> {
    // The number is taken before `current()`, which may begin a read: that one is later than the request.
    const nextNumber = this.#nextNumber;
    return chain(this.current(now), (ring) => {
      return chain(ring.find(key), (owner) => owner ?? this.#findInRead(nextNumber, key));
    });
  }

  /** The keys, at most {@link WAIT_AFTER_MS} old except in an outage. The promise rejects if they could not be read yet. */
  current(now: number): MaybePromise<KeyRing> {
    const known = this.#known;
    if (!known || this.#mustWait(known, now)) return this.#ringAfter(this.#runningOrNextRead(now));
    if (now - this.#latest.begunAt < RENEW_AFTER_MS) return known.ring;
    if (!READS_ARE_SHARED) return this.#ringAfter(this.renew());
    // The read goes on in the background. If it fails, an outage begins.
    if (!this.#isReading(now)) this.renew();
    return known.ring;
  }

  /**
   * Begins a read, also if another one is under way, which may have begun before a change. Resolves after it, and rejects if it fails. There
   * is no time limit, because the caller has changed the keys or wants to know whether they can be read.
   */
  renew(): Promise<void> {
    const read: Read = { number: this.#nextNumber, begunAt: performance.now() };
    this.#latest = read;
    const done = this.#carryOut(read);
    // The callers that wait for the read get its failure. Without any, an unheard rejection would end the process.
    this.#endOfLatest = done.catch(() => {});
    return done;
  }

  /** Whether a request that comes now waits for a read, although keys are known. */
  #mustWait({ read }: KnownKeys, now: number): boolean {
    if (now - read.begunAt < WAIT_AFTER_MS) return false;
    if (!this.#outage) return true;
    // In an outage, a wait would most likely be in vain. But after a pause without requests, and so without reads, the outage may be over.
    return !this.#isReading(now) && now - this.#outage.lastSeenAt >= WAIT_AFTER_MS;
  }

  /**
   * Finds the owner of a key that the known keys did not have. Another program may have added it just before the request came, so only a read
   * that began after the request shows for certain whether it exists.
   *
   * @param nextNumber The number of the first read that began after the request.
   */
  async #findInRead(nextNumber: number, key: string): Promise<KeyOwner | undefined> {
    // In an outage, a wait would most likely be in vain.
    if (this.#outage) return undefined;
    const ring = await this.#ringAfter(this.#readFrom(nextNumber));
    return ring.find(key);
  }

  /**
   * The keys after a read, or the last known ones if it fails or takes too long. If it takes too long, an outage begins, unless another read
   * has succeeded meanwhile. The promise rejects if no keys are known.
   */
  async #ringAfter(read: Promise<void>): Promise<KeyRing> {
    const knownBefore = this.#known;
    const patienceMs = knownBefore ? PATIENCE_MS : GIVE_UP_AFTER_MS;
    const hasEnded = await resolvesWithin(patienceMs, read.catch(() => {}));
    if (!hasEnded && this.#known === knownBefore) {
      this.#noteFailure(new StoreUnavailableError(`Reading the API keys takes longer than ${patienceMs} ms`));
    }
    if (this.#known) return this.#known.ring;
    // The read has failed or takes too long, so an outage has begun.
    throw this.#outage!.error;
  }

  /** Settles after the read that is under way, or else after a new one. */
  #runningOrNextRead(now: number): Promise<void> {
    return this.#readFrom(this.#isReading(now) ? this.#latest.number : this.#nextNumber);
  }

  /**
   * Settles when the read with this number, or one that began after it, has ended. All waiting requests share the reads: the first one whose
   * pause ends begins the next read, and the others wait for it. A request also waits for a read under way that began too early for it, so
   * that the store carries out one read at a time.
   */
  async #readFrom(number: number): Promise<void> {
    while (!this.#hasEnded(number)) {
      const latest = this.#latest;
      if (READS_ARE_SHARED && this.#isReading(performance.now())) {
        await this.#endOfLatest;
      } else {
        await sleep(latest.begunAt + MIN_INTERVAL_MS - performance.now());
        const mustBegin = this.#latest === latest && !this.#hasEnded(number);
        if (mustBegin) return await this.renew();
      }
    }
  }

  /** Carries out a read. If one that began later has succeeded meanwhile, this one changes nothing. */
  async #carryOut(read: Read): Promise<void> {
    try {
      const loaded = await loadKeys(this.#store, this.#fixed, this.#known);
      if (!this.#isOutdated(read)) this.#noteSuccess({ ...loaded, read });
    } catch (error) {
      if (!this.#isOutdated(read)) this.#noteFailure(error);
      throw error;
    } finally {
      if (!this.#hasEnded(read.number)) this.#newestEnded = read;
    }
  }

  #isOutdated(read: Read): boolean {
    return this.#known !== undefined && this.#known.read.number > read.number;
  }

  #noteSuccess(found: KnownKeys): void {
    const isEndOfOutage = this.#known !== undefined && this.#outage !== undefined;
    this.#known = found;
    this.#outage = undefined;
    if (isEndOfOutage) callSafely(() => this.#onOutage(undefined));
  }

  #noteFailure(error: unknown): void {
    // Without known keys, the requests and the start fail with the error itself.
    const isNews = this.#known !== undefined && this.#outage === undefined;
    this.#outage = { error, lastSeenAt: performance.now() };
    if (isNews) callSafely(() => this.#onOutage(error));
  }

  /** Whether the read with this number, or one that began after it, has ended. */
  #hasEnded(number: number): boolean {
    return this.#newestEnded.number >= number;
  }

  /** The number of the read that will begin next. */
  get #nextNumber(): number {
    return this.#latest.number + 1;
  }

  /** Whether the latest read has neither ended nor been given up. */
  #isReading(now: number): boolean {
    return this.#latest !== this.#newestEnded && now - this.#latest.begunAt < GIVE_UP_AFTER_MS;
  }
}
