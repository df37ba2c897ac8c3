/**
 * Keeps the keys of a store in memory, for the requests that come. The key manager has one cache. Requests begin the reads of the store, so
 * nothing runs while no request comes. What a request does:
 *
 * - Usually, its key is among the known keys, and these are less than a second old. It uses the key at once. From half a second on, it also
 *   begins a read in the background.
 * - If no keys are known, or they are older, as after a pause, it waits for a read.
 * - If its key is not among the known ones, it waits for a read that begins later, since another program may have just added the key.
 * - After a read that fails or takes too long, the known keys stay. In such an outage, it uses its key, or is refused, at once, while reads go
 *   on in the background.
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

/** The time limit of a read while no keys are known. It is long, because no request can be answered before. */
const FIRST_READ_LIMIT_MS = 10_000;

/**
 * How long after the beginning of a read that has failed the known keys are used without a wait. Meanwhile, requests begin other reads in the
 * background, each of which, if it fails, begins this time anew.
 */
const OUTAGE_GRACE_MS = 10_000;

/**
 * Whether requests share their reads. In Workers they do not: a read may end with the request that has begun it, without a result. So no
 * request waits for the read of another, and none leaves a read behind.
 */
const SHARES_READS: boolean = !IN_WORKERS;

/** Functions of the app. They are not awaited, and their failures are ignored. */
export interface OutageListeners {
  /** Called when known keys cannot be read any more. */
  onOutage: (error: unknown) => void;
  /** Called when they can be read again. */
  onRecovery: () => void;
}

/** A read of the store, which may end after one that began later. */
interface Read {
  /** Counts the reads in the order in which they begin, because several may begin at one time of a coarse clock, as in Workers. */
  readonly number: number;
  /** When the read began. The keys may be older than what happened later. */
  readonly readAt: number;
}

/** What a successful read has found. */
interface KnownKeys extends Read {
  readonly ring: KeyRing;
  /** The version that the store gave with the keys, so that a later read can ask for changes alone. */
  readonly version: string;
}

/** Why a read has failed, or has taken too long. */
interface Failure extends Read {
  readonly error: unknown;
}

export class KeyCache {
  readonly #store: KeyStore;
  /** Keys that are valid beside those of the store. */
  readonly #fixed: readonly KeyRecord[];
  readonly #listeners: OutageListeners;
  /** It is undefined until a read has succeeded, and is then replaced by each read that succeeds. */
  #known: KnownKeys | undefined;
  /** The failure of the last read; undefined if it has succeeded, or none has ended. */
  #failure: Failure | undefined;
  /** The read that began last. */
  #lastRead: Read = { number: 0, readAt: -Infinity };
  /** Resolves when the last read has ended, well or not. It is undefined if it has, and if reads are not shared. */
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
    const known = this.#known;
    if (!known || this.#isTooOld(known, arrivedAt)) return this.#findAfterRead(key, arrivedAt);
    if (this.#isReadDue(arrivedAt)) {
      if (!SHARES_READS) return this.#findAfterRead(key, arrivedAt);
      this.renew();
    }
    return chain(known.ring.find(key), (owner) => owner ?? this.#findAdded(key, arrivedAt));
  }

  #isTooOld({ readAt }: KnownKeys, arrivedAt: number): boolean {
    const usableUntil = this.#failure ? this.#failure.readAt + OUTAGE_GRACE_MS : readAt + MAX_AGE_MS;
    return arrivedAt >= usableUntil;
  }

  #isReadDue(arrivedAt: number): boolean {
    return arrivedAt - this.#lastRead.readAt >= RENEW_AFTER_MS && !this.#reading;
  }

  /** Finds the owner of a key after a read, because no keys are known or they are too old. */
  async #findAfterRead(key: string, arrivedAt: number): Promise<KeyOwner | undefined> {
    const ring = await this.#ringReadAfter(this.#known?.readAt ?? -Infinity);
    return await ring.find(key) ?? await this.#findAdded(key, arrivedAt);
  }

  /**
   * Finds the owner of a key that the known keys did not have. Another program may have just added it, so only a read that began after the
   * request shows for certain whether it exists. In an outage, the request is refused at once.
   */
  async #findAdded(key: string, arrivedAt: number): Promise<KeyOwner | undefined> {
    if (this.#failure) return undefined;
    const ring = await this.#ringReadAfter(arrivedAt);
    return await ring.find(key);
  }

  /**
   * The keys as a read finds them that began after this time, or the last known ones if a read fails meanwhile. The promise rejects if none are
   * known. Waiting requests share the reads: the first one whose pause ends begins the next read, and the others wait for it. They also wait for
   * a read under way that began too early for them, so that the store carries out one at a time.
   */
  async #ringReadAfter(time: number): Promise<KeyRing> {
    const failureBefore = this.#failure;
    const hasFailed = () => this.#failure !== undefined && this.#failure !== failureBefore;
    const isOver = () => (this.#known?.readAt ?? -Infinity) > time || hasFailed();
    while (!isOver()) {
      const pauseMs = this.#lastRead.readAt + MIN_INTERVAL_MS - performance.now();
      if (this.#reading) {
        await this.#reading;
      } else if (pauseMs > 0) {
        await sleep(pauseMs);
      } else {
        await this.renew().catch(() => {});
        // This read began after the request came, although the clock may show the same time.
        break;
      }
    }
    if (this.#known) return this.#known.ring;
    throw this.#failure!.error;
  }

  /**
   * Begins a read, also if another one is under way, which may have begun before a change. Rejects if it fails or takes too long. A caller need
   * not wait: the rejection is handled here, and so cannot end the process.
   */
  renew(): Promise<void> {
    const read = { number: this.#lastRead.number + 1, readAt: performance.now() };
    const outcome = this.#read(read);
    const reading = outcome.catch(() => {}).then(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#lastRead = read;
    if (SHARES_READS) this.#reading = reading;
    return outcome;
  }

  /** Reads the keys, and notes how that has ended, and whether in time. */
  async #read(read: Read): Promise<void> {
    const limitMs = this.#known ? MAX_AGE_MS : FIRST_READ_LIMIT_MS;
    let failure: Failure | undefined;
    try {
      if (!await resolvesWithin(limitMs, this.#load(read))) {
        throw new StoreUnavailableError(`Reading the API keys takes longer than ${limitMs} ms`);
      }
    } catch (error) {
      failure = { ...read, error };
    }
    if (!this.#isOutdated(read)) this.#setFailure(failure);
    if (failure) throw failure.error;
  }

  /** Reads the keys, and makes a ring of those that are valid. They count also if they come after the time limit. */
  async #load(read: Read): Promise<void> {
    const store = this.#store;
    const before = this.#known;
    // The store leaves the keys out if they are those of the version that it is given. At the first read that is "", which is the version
    // of no keys.
    const { version, keys }: KeySnapshot = store.listSince
      ? await store.listSince(before?.version ?? "")
      : { version: "", keys: await store.list() };
    const ring = before && !keys ? before.ring : await new KeyRing().add([...this.#fixed, ...recordsOf(keys ?? [])]);
    if (this.#isOutdated(read)) return;
    // A failure before any keys were known is no outage that could end.
    if (!this.#known) this.#failure = undefined;
    this.#known = { ...read, ring, version };
  }

  /** Whether a read that began later has succeeded. Then this one says nothing of the store. */
  #isOutdated({ number }: Read): boolean {
    return this.#known !== undefined && number < this.#known.number;
  }

  /** Notes whether the last read has failed, and tells the app if that is news. */
  #setFailure(failure: Failure | undefined): void {
    const failureBefore = this.#failure;
    this.#failure = failure;
    // Without known keys, the requests fail with the error itself. So the app is told only of outages after a success.
    if (failure && !failureBefore && this.#known) callSafely(() => this.#listeners.onOutage(failure.error));
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
