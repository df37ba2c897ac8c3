/**
 * Keeps the keys of a store in memory, for the requests that come. The key manager has one cache. Requests begin the reads of the store, so
 * nothing runs while no request comes. Each read that succeeds replaces the known keys. After one that fails or takes too long, the known keys
 * stay: this is an outage.
 *
 * | what a request finds                              | what it does                                                            |
 * | ------------------------------------------------- | ----------------------------------------------------------------------- |
 * | its key; the last read began just now             | it uses the key                                                         |
 * | its key; the known keys are at most a second old  | it uses the key, and begins a read in the background                    |
 * | no keys, or older ones, as after a pause          | it waits for a read                                                     |
 * | known keys, and its own is not among them         | it waits for a read that begins later: the key may have just been added |
 * | an outage                                         | it uses its key, or is refused, at once; reads go on in the background  |
 *
 * Times are as in `performance.now()`, and durations in milliseconds.
 */

import { IN_WORKERS } from "../http/platform.ts";
import { callSafely, chain, type MaybePromise, resolvesWithin, sleep } from "../promises.ts";
import type { KeySnapshot, KeyStore, StoredKey } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { type KeyOwner, type KeyRecord, KeyRing } from "./key_ring.ts";

/** The time after the beginning of the last read from which on a request begins another one. */
const RENEW_AFTER_MS = 500;

/**
 * The age of the known keys from which on a request waits for a read, and the time limit of that read. The age counts from the beginning of the
 * read that has found them. So a change by another program counts within a second.
 */
const MAX_AGE_MS = 1_000;

/** The shortest time between two reads that requests wait for. A flood of wrong keys costs the store one read in this time. */
const MIN_INTERVAL_MS = 50;

/**
 * How long the cache bears with a store that cannot be read. The first read may take so long, because no request can be answered before. After
 * the beginning of a read that has failed, no request waits for so long; meanwhile, requests begin other reads in the background.
 */
const PATIENCE_MS = 10_000;

/** Functions of the app. They are not awaited, and their failures are ignored. */
export interface OutageListeners {
  /** Called when known keys cannot be read any more. */
  onOutage: (error: unknown) => void;
  /** Called when they can be read again. */
  onRecovery: () => void;
}

interface Failure {
  error: unknown;
}

export class KeyCache {
  readonly #store: KeyStore;
  /** Keys that are valid beside those of the store. */
  readonly #fixed: readonly KeyRecord[];
  readonly #listeners: OutageListeners;
  /** The known keys: those that the last successful read has found. It is undefined until a read has succeeded. */
  #ring: KeyRing | undefined;
  /** When that read began. Its keys may be older than what happened later. */
  #foundAt = -Infinity;
  /** The version that the store gave with the known keys, so that a later read can ask for changes alone. */
  #version = "";
  /** The time until which requests use the known keys without a wait. */
  #usableUntil = -Infinity;
  /** Why the last read has failed; undefined if it has succeeded. Each read that fails has an object of its own. */
  #failure: Failure | undefined;
  /** When the last read began. */
  #lastReadAt = -Infinity;
  /**
   * Resolves when the last read has ended, well or not, or has reached its time limit; undefined if it has. In Workers it is always undefined: a
   * read may end with the request that has begun it, without a result, so that no other request may wait for it.
   */
  #reading: Promise<void> | undefined;

  constructor(store: KeyStore, fixed: readonly KeyRecord[], listeners: OutageListeners) {
    this.#store = store;
    this.#fixed = fixed;
    this.#listeners = listeners;
  }

  /**
   * Finds the owner of a key. The result is undefined if there is no such key. A key that was in the store when the request came is found,
   * unless the keys cannot be read. The promise rejects if they could not be read yet. For speed, a known key needs no promise.
   */
  find(key: string, arrivedAt: number): MaybePromise<KeyOwner | undefined> {
    const ring = this.#usableRing(arrivedAt);
    if (!ring) return this.#findAfterRead(key, arrivedAt);
    return chain(ring.find(key), (owner) => owner ?? this.#findAdded(key, arrivedAt));
  }

  /** The known keys, or undefined if the request must wait for a read. If a read is due, it begins in the background. */
  #usableRing(arrivedAt: number): KeyRing | undefined {
    if (arrivedAt >= this.#usableUntil) return undefined;
    if (arrivedAt - this.#lastReadAt < RENEW_AFTER_MS || this.#reading) return this.#ring;
    // In Workers, a read in the background would end with the request, so the request waits for it.
    if (IN_WORKERS) return undefined;
    this.renew();
    return this.#ring;
  }

  /** Finds the owner of a key among keys that are newer than the known ones. */
  async #findAfterRead(key: string, arrivedAt: number): Promise<KeyOwner | undefined> {
    const ring = await this.#ringSince(this.#foundAt);
    return await ring.find(key) ?? await this.#findAdded(key, arrivedAt);
  }

  /**
   * Finds the owner of a key that the known keys did not have. Another program may have just added it, so only a read that began after the
   * request shows for certain whether it exists. In an outage, the request is refused at once.
   */
  async #findAdded(key: string, arrivedAt: number): Promise<KeyOwner | undefined> {
    if (this.#failure) return undefined;
    const ring = await this.#ringSince(arrivedAt);
    return await ring.find(key);
  }

  /**
   * The keys as a read finds them that began after this time, or the last known ones if a read fails meanwhile. The promise rejects if none are
   * known. Waiting requests share the reads: the first one whose pause ends begins the next read, and the others wait for it. They also wait for
   * a read under way that began too early for them, so that the store carries out one at a time.
   */
  async #ringSince(time: number): Promise<KeyRing> {
    const failureBefore = this.#failure;
    while (this.#foundAt <= time && this.#failure === failureBefore) {
      const pauseMs = this.#lastReadAt + MIN_INTERVAL_MS - performance.now();
      if (this.#reading) {
        await this.#reading;
      } else if (pauseMs > 0) {
        await sleep(pauseMs);
      } else {
        await this.renew().catch(() => {});
        break;
      }
    }
    if (this.#ring) return this.#ring;
    throw this.#failure!.error;
  }

  /**
   * Begins a read, also if another one is under way, which may have begun before a change. Rejects if it fails or takes too long. A caller need
   * not wait: the rejection is handled here, and so cannot end the process.
   */
  renew(): Promise<void> {
    const begunAt = performance.now();
    const outcome = this.#read(begunAt);
    const reading = outcome.catch(() => {}).then(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#lastReadAt = begunAt;
    if (!IN_WORKERS) this.#reading = reading;
    return outcome;
  }

  /** Reads the keys, and notes whether that has succeeded in time. */
  async #read(begunAt: number): Promise<void> {
    const limitMs = this.#ring ? MAX_AGE_MS : PATIENCE_MS;
    let failure: Failure | undefined;
    try {
      if (!await resolvesWithin(limitMs, this.#load(begunAt))) {
        throw new StoreUnavailableError(`Reading the API keys takes longer than ${limitMs} ms`);
      }
    } catch (error) {
      failure = { error };
    }
    // If a read that began later has succeeded meanwhile, this one says nothing of the store.
    if (begunAt >= this.#foundAt) this.#noteEnd(begunAt, failure);
    if (failure) throw failure.error;
  }

  /** Reads the keys, and makes a ring of those that are valid. They count also if they come after the time limit, unless newer ones are known. */
  async #load(begunAt: number): Promise<void> {
    const store = this.#store, known = this.#ring;
    // The store leaves the keys out if they are those of the version that it is given. At the first read that is "", which is the version
    // of no keys.
    const { version, keys }: KeySnapshot = store.listSince
      ? await store.listSince(this.#version)
      : { version: "", keys: await store.list() };
    const ring = known && !keys ? known : await new KeyRing().add([...this.#fixed, ...recordsOf(keys ?? [])]);
    if (begunAt < this.#foundAt) return;
    // A failure before any keys were known is no outage that could end.
    if (!this.#ring) this.#failure = undefined;
    this.#ring = ring;
    this.#foundAt = begunAt;
    this.#version = version;
  }

  /** Notes how the last read has ended, and tells the app if that is news. */
  #noteEnd(begunAt: number, failure: Failure | undefined): void {
    const failureBefore = this.#failure;
    this.#failure = failure;
    this.#usableUntil = begunAt + (failure ? PATIENCE_MS : MAX_AGE_MS);
    // Without known keys, the requests fail with the error itself. So the app is told only of outages after a success.
    if (failure && !failureBefore && this.#ring) callSafely(() => this.#listeners.onOutage(failure.error));
    if (!failure && failureBefore) callSafely(() => this.#listeners.onRecovery());
  }
}

/** The records of the keys that were not revoked. */
function recordsOf(keys: readonly StoredKey[]): KeyRecord[] {
  return keys.filter(({ revoked }) => !revoked).map(({ digest, caller, expires, readOnly }) => ({
    key: { digest },
    caller,
    expires: expires?.getTime() ?? Infinity,
    readOnly,
  }));
}
