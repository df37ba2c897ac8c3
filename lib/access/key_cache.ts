/**
 * Keeps the keys of a store in memory while requests come. The key manager has one cache. Requests begin the reads of the store, so no timer
 * runs while no request comes. When a read begins is in key_reads.ts, and what it does in load_keys.ts.
 *
 * | what a request finds                              | what it does                                                             |
 * | ------------------------------------------------- | ------------------------------------------------------------------------ |
 * | its key; the last read began less than 400 ms ago | it uses it                                                               |
 * | its key; the last read began less than 900 ms ago | it uses it, and begins a read in the background                          |
 * | older keys, after a pause or a slow read          | it waits for a read, 1 s at most                                         |
 * | no keys, at the start                             | it waits for a read, 10 s at most                                        |
 * | keys, and its own is not among them               | it waits for a read that begins later: the key may have just been added  |
 * | the keys cannot be read at present: an outage     | it uses the last known keys at once, while reads go on in the background |
 *
 * Times are as in `performance.now()`, and durations in milliseconds.
 */

import type { KeyStore } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { callSafely, chain, type MaybePromise, resolvesWithin } from "../promises.ts";
import { GIVE_UP_AFTER_MS, KeyReads, type Read, READS_END_WITH_REQUESTS } from "./key_reads.ts";
import type { KeyOwner, KeyRecord, KeyRing } from "./key_ring.ts";
import { type LoadedKeys, loadKeys } from "./load_keys.ts";

/**
 * The age of the known keys from which on a request waits for a read. It counts from the beginning of the read that has found them. As they
 * usually stay younger, a change by another program counts within a second.
 */
const WAIT_AFTER_MS = 900;

/** The longest that a request waits for a read if keys are known. Without any, it waits until the read is given up. */
const PATIENCE_MS = 1_000;

/** What the last successful read has found. */
interface KnownKeys extends LoadedKeys {
  /** The read that has found these keys. */
  read: Read;
}

/** Functions of the app. They are not awaited, and their failures are ignored. */
export interface OutageListeners {
  /** Called when known keys cannot be read any more. */
  onOutage: (error: unknown) => void;
  /** Called when they can be read again. */
  onRecovery: () => void;
}

/**
 * The keys of a store, as the requests that come need them. For speed, a request with a known key gets its owner without a promise. So methods
 * return a {@link MaybePromise}, and chain in place of awaiting.
 */
export class KeyCache {
  readonly #store: KeyStore;
  /** Keys that are valid beside those of the store. */
  readonly #fixed: readonly KeyRecord[];
  readonly #outage: KeyOutage;
  readonly #reads = new KeyReads((read) => this.#load(read));
  /** It is undefined until a read has succeeded, and is then replaced by each read that succeeds. */
  #known: KnownKeys | undefined;

  constructor(store: KeyStore, fixed: readonly KeyRecord[], listeners: OutageListeners) {
    this.#store = store;
    this.#fixed = fixed;
    this.#outage = new KeyOutage(listeners);
  }

  /**
   * Finds the owner of a key. The result is undefined if there is no such key. A key that was in the store before the call is found, unless
   * the keys cannot be read. The promise rejects if the keys could not be read yet.
   *
   * @param now When the request came.
   */
  find(key: string, now: number): MaybePromise<KeyOwner | undefined> {
    // This is taken first, because `current()` may begin a read, which is already later than the request.
    const earlierRead = this.#reads.latest;
    return chain(this.current(now), (ring) => {
      return chain(ring.find(key), (owner) => owner ?? this.#findAfter(earlierRead, key));
    });
  }

  /** The keys, at most {@link WAIT_AFTER_MS} old except in an outage. The promise rejects if they could not be read yet. */
  current(now: number): MaybePromise<KeyRing> {
    const known = this.#known;
    if (!known || this.#mustWait(known, now)) return this.#ringAfter(this.#reads.waitForNextEnd(now));
    // Usually, a read in the background keeps the keys young. If it fails, an outage begins. In Workers, the request waits for it.
    const renewal = this.#reads.readIfOld(now);
    return renewal && READS_END_WITH_REQUESTS ? this.#ringAfter(renewal) : known.ring;
  }

  /**
   * Begins a read, also if another one is under way, which may have begun before a change. Resolves after it, and rejects if it fails. There
   * is no time limit, because the caller has changed the keys or wants to know whether they can be read.
   */
  renew(): Promise<void> {
    return this.#reads.readNow();
  }

  /** Whether the known keys are so old, after a pause or during a slow read, that a request that comes now waits for a read. */
  #mustWait({ read }: KnownKeys, now: number): boolean {
    if (now - read.begunAt < WAIT_AFTER_MS) return false;
    const { failure } = this.#outage;
    if (!failure) return true;
    // In an outage, a wait would most likely be in vain. But after a pause without requests, and so without reads, it may be over. The first
    // request begins a read and waits for it. While that is under way, later requests do not wait.
    const isAfterPause = now - failure.seenAt >= WAIT_AFTER_MS;
    return isAfterPause && !this.#reads.isUnderWay(now);
  }

  /**
   * Finds the owner of a key that the known keys did not have. Another program may have just added it, so only a read that began after the
   * request shows for certain whether it exists. In an outage it is refused at once.
   *
   * @param earlierRead The last read that began before the request.
   */
  async #findAfter(earlierRead: Read, key: string): Promise<KeyOwner | undefined> {
    if (this.#outage.failure) return undefined;
    const ring = await this.#ringAfter(this.#reads.waitForReadBegunAfter(earlierRead));
    return ring.find(key);
  }

  /**
   * The keys after a read, or the last known ones if it fails or takes too long. If it takes too long, an outage begins, unless another read
   * has succeeded meanwhile. The promise rejects if no keys are known.
   *
   * @param readEnd Settles when the read has ended.
   */
  async #ringAfter(readEnd: Promise<void>): Promise<KeyRing> {
    const knownBefore = this.#known;
    const patienceMs = knownBefore ? PATIENCE_MS : GIVE_UP_AFTER_MS;
    const hasEnded = await resolvesWithin(patienceMs, readEnd.catch(() => {}));
    if (!hasEnded && this.#known === knownBefore) {
      this.#outage.noteFailure(new StoreUnavailableError(`Reading the API keys takes longer than ${patienceMs} ms`));
    }
    if (this.#known) return this.#known.ring;
    // The read has failed or takes too long, so an outage has begun.
    throw this.#outage.failure!.error;
  }

  /** What a read does. If one that began later has succeeded meanwhile, this one changes nothing. */
  async #load(read: Read): Promise<void> {
    try {
      const loaded = await loadKeys(this.#store, this.#fixed, this.#known);
      if (this.#isOutdated(read)) return;
      this.#known = { ...loaded, read };
      this.#outage.noteSuccess();
    } catch (error) {
      if (!this.#isOutdated(read)) this.#outage.noteFailure(error);
      throw error;
    }
  }

  #isOutdated(read: Read): boolean {
    return (this.#known?.read.number ?? 0) > read.number;
  }
}

/** Remembers whether the keys can be read at the moment, and tells the app when that changes. */
class KeyOutage {
  readonly #listeners: OutageListeners;
  /** Why and when a read has failed last, or has taken longer than a request waits. It is undefined while the keys can be read. */
  failure: { error: unknown; seenAt: number } | undefined;
  /** Without known keys, the requests and the start fail with the error itself. So the app is told only of outages after a success. */
  #hasSucceeded = false;

  constructor(listeners: OutageListeners) {
    this.#listeners = listeners;
  }

  noteFailure(error: unknown): void {
    const isNews = this.#hasSucceeded && !this.failure;
    this.failure = { error, seenAt: performance.now() };
    if (isNews) callSafely(() => this.#listeners.onOutage(error));
  }

  noteSuccess(): void {
    const isNews = this.#hasSucceeded && this.failure;
    this.failure = undefined;
    this.#hasSucceeded = true;
    if (isNews) callSafely(() => this.#listeners.onRecovery());
  }
}
