/**
 * Keeps the keys of a store in memory while requests come, and reads them anew when they are old or when a key is not known. The key
 * manager has one. It relies on `listSince()` of the store, by which keys that have not changed are not read again.
 */

import type { KeyStore, StoredKey } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { callSafely, chain, type MaybePromise, resolvesWithin, sleep } from "../promises.ts";
import { type KeyOwner, KeyRing } from "./key_ring.ts";
import type { KeyRecord } from "./keys.ts";

/**
 * The ages of the known keys, in milliseconds. From the first on, a request begins a read, and does not wait for it. From the second on,
 * it waits: a change by another program counts within a second.
 */
const RENEW_AFTER = 400, WAIT_AFTER = 900;

/** The longest that a request waits for a read, in milliseconds. After it, the last known keys count. */
const PATIENCE = 1_000;

/** A read that has not ended after this many milliseconds is given up, so that another one may begin. */
const GIVE_UP_AFTER = 10_000;

/**
 * The least time between the begin of a read and that of a read for unknown keys, in milliseconds. A flood of wrong keys costs the
 * store at most one read in this time.
 */
const UNKNOWN_KEY_INTERVAL = 50;

/** A read of the keys. Times are as in `performance.now()`. */
interface Read {
  /** The result of a read with a lower number does not replace that of one with a higher number. */
  readonly number: number;
  readonly begunAt: number;
  endedAt: number | undefined;
  done: Promise<void>;
}

/** What the last successful read has found. */
interface KnownKeys extends Pick<Read, "number" | "begunAt"> {
  /** The version that the store gave with the keys, so that a later read can ask for changes alone. */
  version: string;
  /** The members on which the ring depends, as text. The ring is made anew only when they differ. */
  content: string;
  ring: KeyRing;
  /** Whether a later read has failed, or took longer than a request waits. */
  isOutage: boolean;
}

/**
 * The keys of a store, as the requests that come need them. Requests begin the reads, so no timer runs while none comes. If the
 * keys cannot be read, the last known ones stay valid.
 *
 * - A known key costs no wait while the keys are younger than `WAIT_AFTER`, and in an outage none at all, except after a pause.
 * - An unknown key waits for one read that begins after its request has come, because another program may have just added it. All
 *   unknown keys share that read, and it begins at the earliest `UNKNOWN_KEY_INTERVAL` after the one before it.
 */
export class KeyCache {
  readonly #store: KeyStore;
  readonly #fixed: readonly KeyRecord[];
  readonly #onOutage: (error: unknown) => unknown;
  #known: KnownKeys | undefined;
  #latest: Read | undefined;
  /** The end of the read for unknown keys, as long as that read has not begun. */
  #next: Promise<void> | undefined;

  /** `onOutage` gets the error, and undefined when the keys can be read again. */
  constructor(store: KeyStore, fixed: readonly KeyRecord[], onOutage: (error: unknown) => unknown) {
    this.#store = store;
    this.#fixed = fixed;
    this.#onOutage = onOutage;
  }

  /**
   * The owner of the key that stands in `header` from `start` on, or undefined if no valid key is like it. A key that the store had
   * when this was called counts. Rejects if the keys could not be read yet.
   *
   * @param now When the request came, as in `performance.now()`.
   */
  find(header: string, start: number, now: number): MaybePromise<KeyOwner | undefined> {
    const last = this.#latest?.number ?? 0;
    return chain(this.current(now), (ring) => {
      return chain(ring.find(header, start), (owner) => owner ?? this.#findAfter(last, ring, header, start));
    });
  }

  /** The keys, at most `WAIT_AFTER` old unless they cannot be read. Rejects if they could not be read yet. */
  current(now: number): MaybePromise<KeyRing> {
    const known = this.#known;
    if (known && now - known.begunAt < RENEW_AFTER) return known.ring;
    // This comes first, because a read that begins now would hide the pause.
    const hasPaused = this.#hasPaused(now);
    const read = this.#beginIfDue(now);
    if (known && now - known.begunAt < WAIT_AFTER) return known.ring;
    // An outage may have ended in a pause without requests, so the first request after it waits.
    if (known?.isOutage && !hasPaused) return known.ring;
    return this.#wait(read ?? this.#begin());
  }

  /** The read that is under way, or one that begins now. It is undefined if the latest read has begun and ended just now. */
  #beginIfDue(now: number): Read | undefined {
    const isDue = now - (this.#latest?.begunAt ?? -Infinity) >= RENEW_AFTER;
    return this.#underWay(now) ?? (isDue ? this.#begin() : undefined);
  }

  /** Whether no read is under way, and the latest one ended long ago. */
  #hasPaused(now: number): boolean {
    return !this.#underWay(now) && now - (this.#latest?.endedAt ?? -Infinity) >= WAIT_AFTER;
  }

  /** Reads the keys anew: the read that is under way may have begun before a change. */
  renew(): Promise<void> {
    return this.#begin().done;
  }

  async #wait({ done }: Read): Promise<KeyRing> {
    const failure = await this.#waitInTime(done, this.#known ? PATIENCE : GIVE_UP_AFTER);
    if (!this.#known) throw failure;
    return this.#known.ring;
  }

  /** Waits for a read. If it fails, or takes longer than `patience`, the result is the error. */
  async #waitInTime(done: Promise<void>, patience: number): Promise<unknown> {
    let failure: unknown;
    const isInTime = await resolvesWithin(patience, done.catch((error) => void (failure = error)));
    if (isInTime) return failure;
    const late = new StoreUnavailableError(`Reading the API keys takes longer than ${patience} ms`);
    this.#fail(late);
    return late;
  }

  /** The latest read, if it has neither ended nor been given up. */
  #underWay(now: number): Read | undefined {
    const read = this.#latest;
    return read && read.endedAt === undefined && now - read.begunAt < GIVE_UP_AFTER ? read : undefined;
  }

  /** Looks for a key that `ring` does not have, after a read that begins later than the one with the number `last`. */
  async #findAfter(last: number, ring: KeyRing, header: string, start: number): Promise<KeyOwner | undefined> {
    // While the keys cannot be read, an unknown key is refused at once: each wait would be in vain.
    if (this.#known?.isOutage) return undefined;
    if (this.#known!.number <= last) await this.#waitInTime(this.#readAfter(last), PATIENCE);
    const fresh = this.#known!.ring;
    return fresh === ring ? undefined : fresh.find(header, start);
  }

  /** Resolves after a read with a higher number than `last`. Rejects if that read fails. */
  #readAfter(last: number): Promise<void> {
    const read = this.#underWay(performance.now());
    return read && read.number > last ? read.done : this.#next ??= this.#beginNext();
  }

  async #beginNext(): Promise<void> {
    const latest = this.#latest!, now = performance.now();
    if (this.#underWay(now)) await resolvesWithin(latest.begunAt + GIVE_UP_AFTER - now, latest.done.catch(() => {}));
    await sleep(latest.begunAt + UNKNOWN_KEY_INTERVAL - performance.now());
    // Later requests may have keys that this read does not see. They wait for another one.
    this.#next = undefined;
    await this.#begin().done;
  }

  #begin(): Read {
    const number = (this.#latest?.number ?? 0) + 1, begunAt = performance.now();
    const read: Read = this.#latest = { number, begunAt, endedAt: undefined, done: Promise.resolve() };
    read.done = this.#read(read);
    read.done.catch(() => {});
    return read;
  }

  #fail(error: unknown): void {
    // Only known keys can be kept through an outage. Without any, the request or the start fails with the error itself.
    if (!this.#known || this.#known.isOutage) return;
    this.#known.isOutage = true;
    callSafely(() => this.#onOutage(error));
  }

  async #read(read: Read): Promise<void> {
    const { number, begunAt } = read;
    try {
      const content = await this.#load(this.#known);
      const known = this.#known;
      if (known && number < known.number) return;
      this.#known = { ...content, number, begunAt, isOutage: false };
      if (known?.isOutage) callSafely(() => this.#onOutage(undefined));
    } catch (error) {
      if (number > (this.#known?.number ?? 0)) this.#fail(error);
      throw error;
    } finally {
      read.endedAt = performance.now();
    }
  }

  async #load(known: KnownKeys | undefined): Promise<Pick<KnownKeys, "version" | "content" | "ring">> {
    const last = known?.version ?? "", store = this.#store;
    const { version, keys } = store.listSince
      ? await store.listSince(last)
      : { version: last, keys: await store.list() };
    if (!keys && known) return known;
    // A store may name its version without keys "". Then it answers the first read that nothing has changed, and there
    // are no keys.
    const stored = keys ?? [];
    const content = JSON.stringify(
      stored.map(({ digest, caller, readOnly, expires, revoked }) => [digest, caller, readOnly, expires, revoked]),
    );
    return { version, content, ring: content === known?.content ? known.ring : await this.#makeRing(stored) };
  }

  async #makeRing(keys: readonly StoredKey[]): Promise<KeyRing> {
    const valid = keys.filter(({ revoked }) => !revoked);
    return await new KeyRing().add([...this.#fixed, ...valid.map((key) => this.#recordOf(key))]);
  }

  #recordOf({ digest, caller, expires, readOnly }: StoredKey): KeyRecord {
    const end = expires?.getTime() ?? Infinity;
    return { key: digest, isDigest: true, caller, expires: end, readOnly };
  }
}
