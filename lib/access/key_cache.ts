import type { KeyStore, StoredKey } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { callSafely, type MaybePromise } from "../maybe_promise.ts";
import { resolvesWithin } from "../resolves_within.ts";
import { KeyRing } from "./key_ring.ts";
import { KeyUses } from "./key_uses.ts";
import type { KeyRecord } from "./keys.ts";

/** In milliseconds. From `RENEW_AFTER` on, a request begins to read the keys; from `WAIT_AFTER` on, it also waits. */
const RENEW_AFTER = 400, WAIT_AFTER = 900;

/** How long a request waits, in milliseconds. Then the last known keys count. */
const PATIENCE = 1_000;

/** In milliseconds. A read that never ends must not be the last one. */
const GIVE_UP_AFTER = 10_000;

/** Times are as in `performance.now()`. */
interface Read {
  /** Grows. The result of an older read does not replace that of a newer one. */
  readonly number: number;
  readonly begunAt: number;
  endedAt: number | undefined;
  done: Promise<void>;
}

/** The result of the last successful read. */
interface Known extends Pick<Read, "number" | "begunAt"> {
  /** That of the store. */
  version: string;
  /** The members on which the ring depends. */
  content: string;
  ring: KeyRing;
  /** Whether the keys could not be read since. */
  isOutage: boolean;
}

/** Reads keys on demand, so it needs no timer. If they cannot be read, the last known ones stay valid. */
export class KeyCache {
  readonly #store: KeyStore;
  readonly #fixed: readonly KeyRecord[];
  readonly #onOutage: (error: unknown) => unknown;
  readonly uses: KeyUses;
  #known: Known | undefined;
  #latest: Read | undefined;

  /** `onOutage` gets the error, and undefined when the keys can be read again. */
  constructor(store: KeyStore, fixed: readonly KeyRecord[], onOutage: (error: unknown) => unknown) {
    this.#store = store;
    this.#fixed = fixed;
    this.#onOutage = onOutage;
    this.uses = new KeyUses(store);
  }

  /** Rejects if the keys could not be read yet. */
  current(now: number = performance.now()): MaybePromise<KeyRing> {
    const known = this.#known, latest = this.#latest;
    const age = known ? now - known.begunAt : Infinity;
    if (known && age < RENEW_AFTER) return known.ring;
    const sinceBegin = latest ? now - latest.begunAt : Infinity;
    let read = latest?.endedAt === undefined && sinceBegin < GIVE_UP_AFTER ? latest : undefined;
    // An outage may have ended in a pause without requests, so the first one after it waits.
    const isAfterPause = !read && now - (latest?.endedAt ?? -Infinity) >= WAIT_AFTER;
    if (!read && sinceBegin >= RENEW_AFTER) read = this.#begin();
    if (known && (age < WAIT_AFTER || (known.isOutage && !isAfterPause))) return known.ring;
    return this.#wait(read ?? this.#begin());
  }

  /** Reads the keys anew: the read that is under way may have begun before a change. */
  renew(): Promise<void> {
    return this.#begin().done;
  }

  async #wait({ done }: Read): Promise<KeyRing> {
    const patience = this.#known ? PATIENCE : GIVE_UP_AFTER;
    let failure: unknown = new StoreUnavailableError(`Reading the API keys takes longer than ${patience} ms`);
    const isInTime = await resolvesWithin(patience, done.catch((error) => void (failure = error)));
    if (!isInTime) this.#fail(failure);
    if (!this.#known) throw failure;
    return this.#known.ring;
  }

  #begin(): Read {
    const number = (this.#latest?.number ?? 0) + 1, begunAt = performance.now();
    const read: Read = this.#latest = { number, begunAt, endedAt: undefined, done: Promise.resolve() };
    read.done = this.#read(read);
    read.done.catch(() => {});
    return read;
  }

  #fail(error: unknown): void {
    // Without known keys, the request or the start fails with the error itself.
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
      this.uses.flushIfDue(begunAt);
    } catch (error) {
      if (number > (this.#known?.number ?? 0)) this.#fail(error);
      throw error;
    } finally {
      read.endedAt = performance.now();
    }
  }

  async #load(known: Known | undefined): Promise<Pick<Known, "version" | "content" | "ring">> {
    const last = known?.version ?? "", store = this.#store;
    const { version, keys } = store.listSince
      ? await store.listSince(last)
      : { version: last, keys: await store.list() };
    if (!keys && known) return known;
    // Of a store whose version without keys is "", nothing has changed at first.
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

  #recordOf({ id, digest, caller, expires, readOnly }: StoredKey): KeyRecord {
    const end = expires?.getTime() ?? Infinity;
    return { key: digest, isDigest: true, caller, expires: end, readOnly, use: this.uses.of(id) };
  }
}
