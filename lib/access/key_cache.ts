/**
 * Keeps the keys of a store in memory while requests come, and reads them anew when they are old or when a key is not known. The key
 * manager has one. It relies on `listSince()` of the store, by which keys that have not changed are not read again.
 */

import type { KeyStore, StoredKey } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { callSafely, chain, type MaybePromise, resolvesWithin } from "../promises.ts";
import { GIVE_UP_AFTER_MS, KeyReads, type Read } from "./key_reads.ts";
import { type KeyOwner, KeyRing } from "./key_ring.ts";
import type { KeyRecord } from "./keys.ts";

/** When the latest read began this many milliseconds ago, a request begins another one, and does not wait for it. */
const RENEW_AFTER_MS = 400;

/** When the known keys are as old as this, in milliseconds, a request waits for a read: a change by another program counts within a second. */
const WAIT_AFTER_MS = 900;

/** The longest that a request waits for a read, in milliseconds. After it, the last known keys count. */
const PATIENCE_MS = 1_000;

/** What the last successful read has found. */
interface KnownKeys {
  /** The number of the read that has found them. */
  number: number;
  /** When that read began, as in `performance.now()`. The age of the keys counts from here. */
  begunAt: number;
  /** The version that the store gave with the keys, so that a later read can ask for changes alone. */
  version: string;
  /** The members on which the ring depends, as text. The ring is made anew only when they differ. */
  content: string;
  ring: KeyRing;
}

/**
 * The keys of a store, as the requests that come need them. If the keys cannot be read ("an outage"), the last known ones stay valid.
 *
 * - A known key costs no wait while the keys are younger than `WAIT_AFTER_MS`. In an outage it costs none either, except at the first
 *   request after a pause.
 * - An unknown key waits for one read that begins after its request has come, because another program may have just added it. In an outage
 *   it is refused at once.
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
   * Finds the owner of the key that stands in `header` from `start` on. The result is undefined if there is no such key. A key that was in
   * the store before the call is found, unless the keys cannot be read. The promise rejects if the keys could not be read yet.
   *
   * @param now When the request came, as in `performance.now()`.
   */
  find(header: string, start: number, now: number): MaybePromise<KeyOwner | undefined> {
    // Only a read with a higher number shows for certain what was in the store before this call. `current()` may begin one.
    const numberBefore = this.#reads.latestNumber;
    return chain(this.current(now), (ring) => {
      return chain(ring.find(header, start), (owner) => owner ?? this.#findUnknown(numberBefore, ring, header, start));
    });
  }

  /** The keys, at most `WAIT_AFTER_MS` old except in an outage. The promise rejects if they could not be read yet. */
  current(now: number): MaybePromise<KeyRing> {
    const known = this.#known;
    if (!known || this.#mustWait(known, now)) return this.#wait(this.#reads.join(now));
    this.#reads.beginAtMostEvery(RENEW_AFTER_MS, now);
    return known.ring;
  }

  /** Whether a request that comes now waits for a read, although keys are known. */
  #mustWait({ begunAt }: KnownKeys, now: number): boolean {
    if (now - begunAt < WAIT_AFTER_MS) return false;
    // In an outage, each wait would be in vain. It may have ended in a pause without requests, so the first request after one waits.
    return !this.#isOutage || this.#reads.havePaused(WAIT_AFTER_MS, now);
  }

  /**
   * Reads the keys anew: the read that is under way may have begun before a change. There is no time limit, because the caller has changed
   * the keys or wants to know whether they can be read.
   */
  renew(): Promise<void> {
    return this.#reads.begin().done;
  }

  /** The keys after a read, or those from before it if it fails or takes too long. The promise rejects if there are none. */
  async #wait({ done }: Read): Promise<KeyRing> {
    const failure = await this.#waitFor(done, this.#known ? PATIENCE_MS : GIVE_UP_AFTER_MS);
    // A read that has succeeded has set the known keys, so without any, there is a failure.
    if (!this.#known) throw failure;
    return this.#known.ring;
  }

  /**
   * Waits for a read. The result is the error if the read fails or takes too long, and otherwise undefined. A read that takes too long begins
   * an outage.
   */
  async #waitFor(done: Promise<void>, patienceMs: number): Promise<unknown> {
    let failure: unknown;
    const ended = done.catch((error) => {
      failure = error;
    });
    if (await resolvesWithin(patienceMs, ended)) return failure;
    const late = new StoreUnavailableError(`Reading the API keys takes longer than ${patienceMs} ms`);
    this.#beginOutage(late);
    return late;
  }

  /** Looks for a key that `ring` does not have, in the keys that a read with a higher number than `numberBefore` has found. */
  async #findUnknown(
    numberBefore: number,
    ring: KeyRing,
    header: string,
    start: number,
  ): Promise<KeyOwner | undefined> {
    if (this.#isOutage) return undefined;
    // There are known keys, because `ring` is of them. If the read fails, the key is looked for in those from before.
    if (this.#known!.number <= numberBefore) await this.#waitFor(this.#reads.after(numberBefore), PATIENCE_MS);
    const fresh = this.#known!.ring;
    // A read that finds the same keys as before keeps their ring.
    return fresh === ring ? undefined : fresh.find(header, start);
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

  /** Carries out a read. Reads may end in another order than they began, and then the one that began last counts. */
  async #read(number: number, begunAt: number): Promise<void> {
    try {
      const found = await this.#load(this.#known);
      if (number < (this.#known?.number ?? 0)) return;
      this.#known = { ...found, number, begunAt };
      this.#endOutage();
    } catch (error) {
      if (number > (this.#known?.number ?? 0)) this.#beginOutage(error);
      throw error;
    }
  }

  async #load(known: KnownKeys | undefined): Promise<Pick<KnownKeys, "version" | "content" | "ring">> {
    const knownVersion = known?.version ?? "", store = this.#store;
    const { version, keys } = store.listSince
      ? await store.listSince(knownVersion)
      : { version: knownVersion, keys: await store.list() };
    if (!keys && known) return { version: known.version, content: known.content, ring: known.ring };
    // The first read asks for what has changed since the version "". A store without keys may have that version, and then answers with no
    // list, because nothing has changed.
    const stored = keys ?? [];
    const content = JSON.stringify(
      stored.map(({ digest, caller, readOnly, expires, revoked }) => [digest, caller, readOnly, expires, revoked]),
    );
    return { version, content, ring: content === known?.content ? known.ring : await makeRing(stored, this.#fixed) };
  }
}

async function makeRing(stored: readonly StoredKey[], fixed: readonly KeyRecord[]): Promise<KeyRing> {
  const valid = stored.filter(({ revoked }) => !revoked);
  return await new KeyRing().add([...fixed, ...valid.map(recordOf)]);
}

function recordOf({ digest, caller, expires, readOnly }: StoredKey): KeyRecord {
  return { key: digest, isDigest: true, caller, expires: expires?.getTime() ?? Infinity, readOnly };
}
