/**
 * Keeps the keys of a store in memory while requests come, and reads them anew when they are old or when a key is not known. The key
 * manager has one. It relies on `listSince()` of the store, by which keys that have not changed are not read again.
 */

import type { KeyStore, StoredKey } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { callSafely, chain, type MaybePromise, resolvesWithin, sleep } from "../promises.ts";
import { type KeyOwner, KeyRing } from "./key_ring.ts";
import type { KeyRecord } from "./keys.ts";

/** When the known keys are as old as this, in milliseconds, a request begins a read, and does not wait for it. */
const RENEW_AFTER_MS = 400;

/** When the known keys are as old as this, in milliseconds, a request waits for a read: a change by another program counts within a second. */
const WAIT_AFTER_MS = 900;

/** The longest that a request waits for a read, in milliseconds. After it, the last known keys count. */
const PATIENCE_MS = 1_000;

/** A read that has not ended after this many milliseconds is given up, so that another one may begin. */
const GIVE_UP_AFTER_MS = 10_000;

/**
 * The shortest time from the beginning of a read to the beginning of a read for unknown keys, in milliseconds. A flood of wrong keys costs
 * the store at most one read in this time.
 */
const UNKNOWN_KEY_INTERVAL_MS = 50;

/** A read of the keys. Times are as in `performance.now()`. */
interface Read {
  /** The result of a read with a lower number does not replace that of one with a higher number. */
  readonly number: number;
  readonly begunAt: number;
  endedAt: number | undefined;
  /** Resolves when the keys have been read, and rejects if they cannot be. */
  readonly done: Promise<void>;
}

/** What the last successful read has found. */
interface KnownKeys extends Pick<Read, "number" | "begunAt"> {
  /** The version that the store gave with the keys, so that a later read can ask for changes alone. */
  version: string;
  /** The members on which the ring depends, as text. The ring is made anew only when they differ. */
  content: string;
  ring: KeyRing;
}

/**
 * The keys of a store, as the requests that come need them. Requests begin the reads, so no timer runs while no request comes. If the keys
 * cannot be read ("an outage"), the last known ones stay valid.
 *
 * - A known key costs no wait while the keys are younger than `WAIT_AFTER_MS`. In an outage it costs none either, except at the first
 *   request after a pause.
 * - An unknown key waits for one read that begins after its request has come, because another program may have just added it. All
 *   unknown keys share that read, and it begins at the earliest `UNKNOWN_KEY_INTERVAL_MS` after the one before it.
 *
 * For speed, a request with a known key gets its owner without a promise. So methods return a {@link MaybePromise}, and chain in place of
 * awaiting.
 */
export class KeyCache {
  readonly #store: KeyStore;
  /** Keys that are valid beside those of the store. */
  readonly #fixed: readonly KeyRecord[];
  readonly #onOutage: (error: unknown) => unknown;
  /** It is undefined until a read has succeeded, and is then replaced by each read. */
  #known: KnownKeys | undefined;
  /** Whether a read that began after that of the known keys has failed, or took longer than a request waits. */
  #isOutage = false;
  #latest: Read | undefined;
  /** The next read for unknown keys. It is set while that read is planned and has not begun, and resolves when the read has ended. */
  #plannedRead: Promise<void> | undefined;

  /** @param onOutage Called with the error when an outage begins, and with `undefined` when it ends. */
  constructor(store: KeyStore, fixed: readonly KeyRecord[], onOutage: (error: unknown) => unknown) {
    this.#store = store;
    this.#fixed = fixed;
    this.#onOutage = onOutage;
  }

  /**
   * Finds the owner of the key that stands in `header` from `start` on. The result is undefined if there is no such key. A key that was in
   * the store before the call is found. The promise rejects if the keys could not be read yet.
   *
   * @param now When the request came, as in `performance.now()`.
   */
  find(header: string, start: number, now: number): MaybePromise<KeyOwner | undefined> {
    // Only a read with a higher number shows for certain what was in the store before this call. `current()` may begin one.
    const numberBefore = this.#latest?.number ?? 0;
    return chain(this.current(now), (ring) => {
      return chain(ring.find(header, start), (owner) => owner ?? this.#findUnknown(numberBefore, ring, header, start));
    });
  }

  /**
   * The keys, at most `WAIT_AFTER_MS` old except in an outage. The promise rejects if they could not be read yet.
   *
   * | age of the known keys      | what a request does                                                             |
   * | -------------------------- | ------------------------------------------------------------------------------- |
   * | there are none             | waits for a read                                                                |
   * | below `RENEW_AFTER_MS`     | nothing                                                                         |
   * | below `WAIT_AFTER_MS`      | begins a read, unless there was one just now                                    |
   * | more                       | waits for a read                                                                |
   * | more, in an outage         | begins a read, unless there was one just now; after a pause, it waits for a read |
   */
  current(now: number): MaybePromise<KeyRing> {
    const known = this.#known;
    if (!known) return this.#wait(this.#underWay(now) ?? this.#begin());
    const age = now - known.begunAt;
    if (age < RENEW_AFTER_MS) return known.ring;
    // The pause is looked for first, because a read that begins now would end it.
    const hasPaused = this.#hasPaused(now);
    const read = this.#beginIfDue(now);
    // An outage may have ended in a pause without requests, so the first request after it waits.
    const mustWait = age >= WAIT_AFTER_MS && (!this.#isOutage || hasPaused);
    if (!mustWait) return known.ring;
    // There may be no read although the keys are old: the latest one has failed, and an older one has ended the outage since.
    return this.#wait(read ?? this.#begin());
  }

  /** The read that is under way, or one that begins now. It is undefined if the latest one began within `RENEW_AFTER_MS` and has ended. */
  #beginIfDue(now: number): Read | undefined {
    const isDue = now - (this.#latest?.begunAt ?? -Infinity) >= RENEW_AFTER_MS;
    return this.#underWay(now) ?? (isDue ? this.#begin() : undefined);
  }

  /** Whether no read is under way, and none has ended for some time. */
  #hasPaused(now: number): boolean {
    return !this.#underWay(now) && now - (this.#latest?.endedAt ?? -Infinity) >= WAIT_AFTER_MS;
  }

  /** Reads the keys anew: the read that is under way may have begun before a change. */
  renew(): Promise<void> {
    return this.#begin().done;
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

  /** The latest read, if it has neither ended nor been given up. */
  #underWay(now: number): Read | undefined {
    const read = this.#latest;
    return read && read.endedAt === undefined && now - read.begunAt < GIVE_UP_AFTER_MS ? read : undefined;
  }

  /** Looks for a key that `ring` does not have, in the keys that a read with a higher number than `numberBefore` has found. */
  async #findUnknown(
    numberBefore: number,
    ring: KeyRing,
    header: string,
    start: number,
  ): Promise<KeyOwner | undefined> {
    // In an outage, an unknown key is refused at once: each wait would be in vain.
    if (this.#isOutage) return undefined;
    // There are known keys, because `ring` is of them. If the read fails, the key is looked for in those from before.
    if (this.#known!.number <= numberBefore) await this.#waitFor(this.#readAfter(numberBefore), PATIENCE_MS);
    const fresh = this.#known!.ring;
    // A read that finds the same keys as before keeps their ring.
    return fresh === ring ? undefined : fresh.find(header, start);
  }

  /** Resolves after a read with a higher number, and rejects if that read fails. */
  #readAfter(number: number): Promise<void> {
    const read = this.#underWay(performance.now());
    if (read && read.number > number) return read.done;
    return this.#plannedRead ??= this.#planRead();
  }

  /**
   * Begins a read for unknown keys when it may begin: not while another one is under way, and not within `UNKNOWN_KEY_INTERVAL_MS` after the
   * beginning of the last one.
   */
  async #planRead(): Promise<void> {
    const latest = this.#latest!, now = performance.now();
    if (this.#underWay(now)) await resolvesWithin(latest.begunAt + GIVE_UP_AFTER_MS - now, latest.done.catch(() => {}));
    await sleep(latest.begunAt + UNKNOWN_KEY_INTERVAL_MS - performance.now());
    // Requests that come from here on may have keys that the read below does not see. They wait for another one.
    this.#plannedRead = undefined;
    await this.#begin().done;
  }

  #begin(): Read {
    const number = (this.#latest?.number ?? 0) + 1, begunAt = performance.now();
    const done = this.#read(number, begunAt).finally(() => {
      read.endedAt = performance.now();
    });
    const read: Read = { number, begunAt, endedAt: undefined, done };
    this.#latest = read;
    // Those who wait are told of a failure. If no one waits, it must not end the process as an unhandled rejection.
    done.catch(() => {});
    return read;
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
