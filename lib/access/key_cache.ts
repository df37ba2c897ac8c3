import type { KeySnapshot, KeyStore, StoredKey } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { callSafely, type MaybePromise } from "../maybe_promise.ts";
import { KeyRing } from "./key_ring.ts";
import type { KeyRecord, LastUse } from "./keys.ts";

/**
 * In milliseconds. When what is known is older than `RENEW_AFTER`, the next request starts to read the keys, and does not wait for
 * them. When it is older than `WAIT_AFTER`, because there were no requests, requests wait. So a change holds within a second.
 */
const RENEW_AFTER = 400, WAIT_AFTER = 900;

/** How long a request waits for the keys, in milliseconds. Then the last known ones count. */
const PATIENCE = 1_000;

/** When a read is given up that has not ended, in milliseconds. One that never ends must not be the last one. */
const GIVE_UP_AFTER = 10_000;

/** How often uses are written while requests arrive, and how soon again after a failure, in milliseconds. */
const USE_INTERVAL = 60_000, USE_RETRY = 5_000;

/** The keys of the last successful read. */
interface Known {
  /** That of the store, for the next read. */
  version: string;
  /** The members of the keys on which the ring depends, as text. */
  content: string;
  ring: KeyRing;
}

/**
 * Reads keys on demand, so it needs no timer. If they cannot be read, the last known ones stay valid. There is no moment without
 * keys: a ring is replaced when the next one is complete.
 */
export class KeyCache {
  readonly #store: KeyStore;
  readonly #fixed: readonly KeyRecord[];
  readonly #onOutage: (error: unknown) => unknown;
  readonly #uses = new Map<string, LastUse & { written: number }>();
  #known: Known | undefined;
  /**
   * When the last successful read, and the last one of all, began, and when one ended. As in `performance.now()`. Without known
   * keys, a request waits whatever they are.
   */
  #readAt = 0;
  #triedAt = 0;
  #endedAt = 0;
  #reading: Promise<void> | undefined;
  /** Reads are numbered as they begin. The result of an older one does not replace that of a newer one. */
  #lastNumber = 0;
  #knownNumber = 0;
  #isBroken = false;
  #flushedAt = -Infinity;

  /**
   * @param fixed Keys that are valid too.
   * @param onOutage Called with the error when the keys cannot be read, and with undefined when they can be read again.
   */
  constructor(store: KeyStore, fixed: readonly KeyRecord[], onOutage: (error: unknown) => unknown) {
    this.#store = store;
    this.#fixed = fixed;
    this.#onOutage = onOutage;
  }

  /** The ring that holds now. Rejects if the keys could not be read yet. */
  current(now: number = performance.now()): MaybePromise<KeyRing> {
    const age = now - this.#readAt;
    const ring = this.#known?.ring;
    if (ring && age < RENEW_AFTER) return ring;
    if (now - this.#triedAt >= GIVE_UP_AFTER) this.#reading = undefined;
    // An outage may have ended in a pause without requests, so the first one after it waits.
    const isAfterPause = !this.#reading && now - this.#endedAt >= WAIT_AFTER;
    if (!this.#reading && now - this.#triedAt >= RENEW_AFTER) void this.#start().catch(() => {});
    if (ring && (age < WAIT_AFTER || (this.#isBroken && !isAfterPause))) return ring;
    return this.#wait();
  }

  /** Reads the keys anew, so that a change which is complete holds. */
  renew(): Promise<void> {
    // Not the read that is under way: it may have begun before the change.
    return this.#start();
  }

  async #wait(): Promise<KeyRing> {
    const reading = this.#reading ?? this.#start();
    const patience = this.#known ? PATIENCE : GIVE_UP_AFTER;
    const tooLate = new StoreUnavailableError(`Reading the API keys takes longer than ${patience} ms`);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => timer = setTimeout(resolve, patience, tooLate));
    const failure = await Promise.race([reading.catch((error: unknown) => error), late]);
    clearTimeout(timer);
    if (failure === tooLate) this.#fail(failure);
    if (!this.#known) throw failure;
    return this.#known.ring;
  }

  #start(): Promise<void> {
    const startedAt = this.#triedAt = performance.now();
    const number = ++this.#lastNumber;
    const reading: Promise<void> = this.#read(startedAt, number).then(() => this.#end(reading), (error) => {
      this.#end(reading);
      if (number > this.#knownNumber) this.#fail(error);
      throw error;
    });
    return this.#reading = reading;
  }

  #end(reading: Promise<void>): void {
    this.#endedAt = performance.now();
    if (this.#reading === reading) this.#reading = undefined;
  }

  #fail(error: unknown): void {
    // Without a first ring, the request or the start fails with the error itself.
    if (this.#isBroken || !this.#known) return;
    this.#isBroken = true;
    callSafely(() => this.#onOutage(error));
  }

  async #read(startedAt: number, number: number): Promise<void> {
    // Not that of another read, which may end meanwhile: the version is the one of these keys.
    let known = this.#known;
    const { version, keys } = await this.#list(known?.version ?? "");
    if (keys || !known) {
      // Of a store whose version without keys is "", nothing has changed at first.
      const stored = keys ?? [];
      const content = contentOf(stored);
      const ring = known && content === known.content ? known.ring : await this.#makeRing(stored);
      known = { version, content, ring };
    }
    if (number < this.#knownNumber) return;
    this.#knownNumber = number;
    this.#known = known;
    this.#readAt = startedAt;
    if (this.#isBroken) {
      this.#isBroken = false;
      callSafely(() => this.#onOutage(undefined));
    }
    if (startedAt - this.#flushedAt >= USE_INTERVAL) void this.flush();
  }

  async #list(version: string): Promise<KeySnapshot> {
    return this.#store.listSince ? await this.#store.listSince(version) : { version, keys: await this.#store.list() };
  }

  async #makeRing(keys: readonly StoredKey[]): Promise<KeyRing> {
    const ring = new KeyRing();
    await ring.add([...this.#fixed, ...keys.filter(({ revoked }) => !revoked).map((key) => this.#recordOf(key))]);
    return ring;
  }

  #recordOf({ id, digest, caller, expires, readOnly }: StoredKey): KeyRecord {
    let use = this.#uses.get(id);
    if (!use) this.#uses.set(id, use = { at: 0, written: 0 });
    return { key: digest, isDigest: true, caller, expires: expires?.getTime() ?? Infinity, readOnly, use };
  }

  /** Writes the uses. A failure loses none: they are written the next time. */
  async flush(): Promise<void> {
    // Not only later ones: the clock may have been wrong.
    const due = [...this.#uses].filter(([, { at, written }]) => at !== written);
    if (due.length === 0) return;
    this.#flushedAt = performance.now();
    const uses = due.map(([id, { at }]) => ({ id, at: new Date(at) }));
    try {
      await this.#store.touch(uses);
      for (const { id, at } of uses) this.#uses.get(id)!.written = at.getTime();
    } catch {
      // Another program may have locked the store. Not at the next read of the keys: a standby would log each attempt. If the store
      // is unavailable, reading the keys reports it.
      this.#flushedAt -= USE_INTERVAL - USE_RETRY;
    }
  }
}

/** The members on which a ring depends, as text. */
function contentOf(stored: readonly StoredKey[]): string {
  return JSON.stringify(
    stored.map(({ digest, caller, readOnly, expires, revoked }) => [digest, caller, readOnly, expires, revoked]),
  );
}
