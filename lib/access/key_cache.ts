/**
 * Keeps the keys of a store in memory while requests come, and reads them anew when they are old or when a key is not known. The key
 * manager has one. How the keys are read is in load_keys.ts, and how reads follow each other in key_reads.ts.
 */

import type { KeyStore } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { callSafely, chain, type MaybePromise, resolvesWithin } from "../promises.ts";
import { GIVE_UP_AFTER_MS, KeyReads } from "./key_reads.ts";
import type { KeyOwner, KeyRecord, KeyRing } from "./key_ring.ts";
import { type LoadedKeys, loadKeys } from "./load_keys.ts";

/** The age of the known keys from which on a request begins a read, in milliseconds. The age counts from the beginning of their read. */
const RENEW_AFTER_MS = 400;

/** The age of the known keys from which on a request waits for a read, in milliseconds. */
const WAIT_AFTER_MS = 900;

/** The longest that a request waits for a read if keys are known, in milliseconds. After it, these keys count. */
const PATIENCE_MS = 1_000;

/** What the last successful read has found. */
interface KnownKeys extends LoadedKeys {
  /** The number of the read that has found these keys. */
  readNumber: number;
  /** When this read began, as in `performance.now()`. The age of the keys counts from here. */
  begunAt: number;
}

/**
 * The keys of a store, as the requests that come need them. If the keys cannot be read ("an outage"), the last known ones stay valid.
 *
 * - A known key costs no wait while the keys are younger than {@link WAIT_AFTER_MS}, so a change by another program counts within a second.
 *   In an outage it costs none either, except at the first request after a pause.
 * - An unknown key waits for one read that begins after its request has come, because another program may have just added it. In an outage
 *   it is refused at once.
 * - In Workers, a read ends with the request that has begun it. So the request that begins a read waits for it.
 *
 * For speed, a request with a known key gets its owner without a promise. So methods return a {@link MaybePromise}, and chain in place of
 * awaiting.
 */
export class KeyCache {
  readonly #store: KeyStore;
  /** Keys that are valid beside those of the store. */
  readonly #fixed: readonly KeyRecord[];
  readonly #onOutage: (error: unknown) => unknown;
  readonly #reads = new KeyReads((number, begunAt) => this.#read(number, begunAt));
  /** It is undefined until a read has succeeded, and is then replaced by each read. */
  #known: KnownKeys | undefined;
  /** Whether a read that began after that of the known keys has failed, or took longer than a request waits. */
  #isOutage = false;

  /** @param onOutage Called with the error when an outage begins, and with `undefined` when it ends. */
  constructor(store: KeyStore, fixed: readonly KeyRecord[], onOutage: (error: unknown) => unknown) {
    this.#store = store;
    this.#fixed = fixed;
    this.#onOutage = onOutage;
  }

  /**
   * Finds the owner of a key. The result is undefined if there is no such key. A key that was in the store before the call is found, unless
   * the keys cannot be read. The promise rejects if the keys could not be read yet.
   *
   * @param now When the request came, as in `performance.now()`.
   */
  find(key: string, now: number): MaybePromise<KeyOwner | undefined> {
    // The number is taken before `current()`, which may begin a read: that one is later than the request.
    const lastRead = this.#reads.latestNumber;
    return chain(this.current(now), (ring) => {
      return chain(ring.find(key), (owner) => owner ?? this.#findAfter(lastRead, key));
    });
  }

  /** The keys, at most `WAIT_AFTER_MS` old except in an outage. The promise rejects if they could not be read yet. */
  current(now: number): MaybePromise<KeyRing> {
    const known = this.#known;
    if (!known || this.#mustWait(known, now)) return this.#ringAfter(this.#reads.join(now));
    // There is a promise only in Workers, where the request must wait for the read that it has begun.
    const done = this.#reads.beginAtMostEvery(RENEW_AFTER_MS, now);
    return done ? this.#ringAfter(done) : known.ring;
  }

  /** Whether a request that comes now waits for a read, although keys are known. */
  #mustWait({ begunAt }: KnownKeys, now: number): boolean {
    if (now - begunAt < WAIT_AFTER_MS) return false;
    if (!this.#isOutage) return true;
    // In an outage, a wait would most likely be in vain. But after a pause without requests, and so without reads, the outage may be over.
    return this.#reads.havePaused(WAIT_AFTER_MS, now);
  }

  /**
   * Reads the keys anew: the read that is under way may have begun before a change. There is no time limit, because the caller has changed
   * the keys or wants to know whether they can be read.
   */
  renew(): Promise<void> {
    return this.#reads.begin();
  }

  /** The keys after a read, or the last known ones if it fails or takes too long. The promise rejects if there are none. */
  async #ringAfter(done: Promise<void>): Promise<KeyRing> {
    try {
      await this.#waitFor(done, this.#known ? PATIENCE_MS : GIVE_UP_AFTER_MS);
    } catch (error) {
      if (!this.#known) throw error;
    }
    return this.#known!.ring;
  }

  /**
   * Finds the owner of a key that the known keys did not have. Another program may have added it just before the request came, so only a read
   * that began after the request shows for certain whether it exists.
   *
   * @param lastRead The number of the last read that had begun when the request came.
   */
  async #findAfter(lastRead: number, key: string): Promise<KeyOwner | undefined> {
    // In an outage, a wait would most likely be in vain.
    if (this.#isOutage) return undefined;
    // If the read fails or takes too long, the last known keys count.
    await this.#waitFor(this.#reads.after(lastRead), PATIENCE_MS).catch(() => {});
    return this.#known!.ring.find(key);
  }

  /**
   * Waits for a read. If it takes too long, an outage begins.
   *
   * @throws The error of the read, or a StoreUnavailableError if it takes too long.
   */
  async #waitFor(done: Promise<void>, patienceMs: number): Promise<void> {
    if (await resolvesWithin(patienceMs, done)) return;
    const late = new StoreUnavailableError(`Reading the API keys takes longer than ${patienceMs} ms`);
    this.#beginOutage(late);
    throw late;
  }

  /**
   * Carries out a read. Reads may end in another order than they began. If one that began later has succeeded meanwhile, this one changes
   * nothing.
   */
  async #read(readNumber: number, begunAt: number): Promise<void> {
    const isOutdated = () => this.#known !== undefined && this.#known.readNumber > readNumber;
    try {
      const loaded = await loadKeys(this.#store, this.#fixed, this.#known);
      if (isOutdated()) return;
      this.#known = { ...loaded, readNumber, begunAt };
      this.#endOutage();
    } catch (error) {
      if (!isOutdated()) this.#beginOutage(error);
      throw error;
    }
  }

  #beginOutage(error: unknown): void {
    // Only known keys can be kept through an outage. Without any, the request or the start fails with the error itself.
    if (!this.#known || this.#isOutage) return;
    this.#isOutage = true;
    callSafely(() => this.#onOutage(error));
  }

  #endOutage(): void {
    if (!this.#isOutage) return;
    this.#isOutage = false;
    callSafely(() => this.#onOutage(undefined));
  }
}
