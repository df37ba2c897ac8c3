/**
 * Keeps the keys of a store in memory, for the requests that come. The key manager has one cache. What a request does:
 *
 * - Usually, its key is among the known keys, and these are less than a second old. It uses the key at once. From half a second on, it also
 *   begins a read in the background.
 * - Otherwise it looks its key up after each read that ends, until it finds the key. A read that began after the request shows that there is no
 *   such key: another program may have added it shortly before.
 * - After a read that fails or takes too long, the known keys stay. In such an outage, it uses its key, or is refused, at once, while reads go
 *   on in the background.
 */

import { IN_WORKERS } from "../http/platform.ts";
import { callSafely, chain, type MaybePromise, resolvesWithin } from "../promises.ts";
import type { KeySnapshot, KeyStore, StoredKey } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { KeyReads, type Read, WorkerKeyReads } from "./key_reads.ts";
import { type KeyOwner, type KeyRecord, KeyRing } from "./key_ring.ts";
import { type FoundKeys, type KeyState, MAX_AGE_MS, type ReadEnd, stateAfter } from "./key_state.ts";

/** The time limit of a read while no keys are known. It is long, because no request can be answered before. Later reads have `MAX_AGE_MS`. */
const FIRST_READ_LIMIT_MS = 10_000;

/** Functions of the app. They are not awaited, and their failures are ignored. */
export interface OutageListeners {
  /** Called when known keys cannot be read any more. */
  onOutage: (error: unknown) => void;
  /** Called when they can be read again. */
  onRecovery: () => void;
}

export class KeyCache {
  readonly #store: KeyStore;
  /** Keys that are valid beside those of the store. */
  readonly #fixed: readonly KeyRecord[];
  readonly #listeners: OutageListeners;
  readonly #reads: KeyReads;
  #state: KeyState = { kind: "unread", error: undefined };

  constructor(store: KeyStore, fixed: readonly KeyRecord[], listeners: OutageListeners) {
    this.#store = store;
    this.#fixed = fixed;
    this.#listeners = listeners;
    const Reads = IN_WORKERS ? WorkerKeyReads : KeyReads;
    this.#reads = new Reads((read) => this.#read(read));
  }

  /**
   * Finds the owner of a key. The result is undefined if there is no such key. A key that was in the store when the request came is found,
   * unless the keys cannot be read. The promise rejects if they could not be read yet. For speed, a known key needs no promise.
   */
  find(key: string, arrivedAt: number): MaybePromise<KeyOwner | undefined> {
    const state = this.#state;
    const lastRead = this.#reads.last.number;
    if (state.kind === "unread" || arrivedAt >= state.usableUntil || !this.#reads.keepFresh(arrivedAt)) {
      return this.#findAfterReads(key, lastRead, state);
    }
    const { ring } = state.keys;
    return chain(ring.find(key), (owner) => {
      return owner || state.kind === "outage" ? owner : this.#findAfterReads(key, lastRead, state, ring);
    });
  }

  /**
   * Looks a key up after each read that ends, until one decides.
   *
   * @param lastRead The number of the last read that began before the request came.
   * @param state What was known when the request came.
   * @param searched The ring that does not have the key. It is not searched again, because that may need the digest of the key.
   */
  async #findAfterReads(
    key: string,
    lastRead: number,
    state: KeyState,
    searched?: KeyRing,
  ): Promise<KeyOwner | undefined> {
    for (;;) {
      state = await this.#stateAfter(state);
      if (state.kind === "unread") throw state.error;
      const { ring, read } = state.keys;
      const owner = ring === searched ? undefined : await ring.find(key);
      if (owner || read.number > lastRead || state.kind === "outage") return owner;
      searched = ring;
    }
  }

  /** Waits for another state than this one. */
  async #stateAfter(state: KeyState): Promise<KeyState> {
    while (this.#state === state) await this.#reads.advance();
    return this.#state;
  }

  /** Reads the keys, as after a change. Rejects if that fails or takes too long. */
  renew(): Promise<void> {
    return this.#reads.begin();
  }

  /** Carries out a read, and notes how it has ended. Keys that come after the time limit count too. */
  async #read(read: Read): Promise<void> {
    const limitMs = this.#state.kind === "unread" ? FIRST_READ_LIMIT_MS : MAX_AGE_MS;
    const keys = this.#load(read);
    try {
      if (!await resolvesWithin(limitMs, keys.then(() => {}))) {
        throw new StoreUnavailableError(`Reading the API keys takes longer than ${limitMs} ms`);
      }
    } catch (error) {
      this.#end(read, { kind: "failed", error });
      keys.then((keys) => this.#end(read, { kind: "found late", keys }), () => {});
      throw error;
    }
    this.#end(read, { kind: "found", keys: await keys });
  }

  /** Gets the keys from the store, and makes a ring of those that are valid. */
  async #load(read: Read): Promise<FoundKeys> {
    const store = this.#store;
    const before = this.#state.kind === "unread" ? undefined : this.#state.keys;
    // The store leaves the keys out if they are those of the version that it is given. At the first read that is "", which is the version
    // of no keys.
    const { version, keys }: KeySnapshot = store.listSince
      ? await store.listSince(before?.version ?? "")
      : { version: "", keys: await store.list() };
    const ring = before && !keys ? before.ring : await new KeyRing().add([...this.#fixed, ...recordsOf(keys ?? [])]);
    return { read, ring, version };
  }

  /** Notes how a read has ended, and tells the app when an outage begins or ends. */
  #end(read: Read, end: ReadEnd): void {
    const before = this.#state;
    const state = stateAfter(before, read, end);
    this.#state = state;
    // Without known keys, the requests fail with the error itself. So the app is told only of outages after a success.
    if (before.kind === "known" && state.kind === "outage") callSafely(() => this.#listeners.onOutage(state.error));
    if (before.kind === "outage" && state.kind === "known") callSafely(() => this.#listeners.onRecovery());
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
