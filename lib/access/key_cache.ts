/**
 * Keeps the keys of a store in memory, for the requests that come. The key manager has one cache.
 * `find()` shows by examples when a request waits.
 */

import { callSafely, chain, type MaybePromise, resolvesWithin } from "../promises.ts";
import type { KeySnapshot, KeyStore, StoredKey } from "../stores/key_store.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { KeyReads, type Read, READS_ARE_SHARED } from "./key_reads.ts";
import { type KeyOwner, type KeyRecord, KeyRing } from "./key_ring.ts";
import { type FoundKeys, type KeyState, type ReadEnd, stateAfter } from "./key_state.ts";
import { FIRST_READ_LIMIT_MS, MAX_AGE_MS } from "./key_times.ts";

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
    this.#reads = new KeyReads((read) => this.#read(read));
  }

  /**
   * Finds the owner of a key. The result is undefined if there is no such key. A key that was in
   * the store when the request came is found, unless the keys cannot be read. The promise rejects
   * if they could not be read yet. For speed, a known key needs no promise.
   *
   * An example, in milliseconds. A first read began at 0. Each read takes 20.
   *
   * | request comes     | a read begins | it ends | what the request gets                           |
   * | ----------------- | ------------- | ------- | ----------------------------------------------- |
   * | 400, known key    |               |         | the owner, at once                              |
   * | 600, known key    | 600           | 620     | the owner, at once; in Workers, at 620          |
   * | 610, unknown key  | 650           | 670     | the owner, at 620 or 670, or a refusal, at 670: |
   * |                   |               |         | another program may have added the key at 605   |
   * | 1700, known key   | 1700          | 1720    | the owner, at 1720                              |
   *
   * From 2300 on, the store does not answer. This outage ends with the first read that succeeds.
   *
   * | request comes     | a read begins | it ends | what the request gets                           |
   * | ----------------- | ------------- | ------- | ----------------------------------------------- |
   * | 2300, known key   | 2300          | 3300    | the owner, at once                              |
   * | 2310, unknown key |               |         | a refusal, at 3300, because the read fails then |
   * | 3400, any key     | 3400          | 4400    | the owner or a refusal, at once                 |
   */
  find(key: string, arrivedAt: number): MaybePromise<KeyOwner | undefined> {
    const state = this.#state;
    const earlierReads = this.#reads.last.number;
    if (state.kind === "unread" || arrivedAt >= state.usableUntil) {
      return this.#findAfterReads(key, earlierReads, state);
    }
    if (this.#reads.isDue(arrivedAt)) {
      if (!READS_ARE_SHARED) return this.#findAfterReads(key, earlierReads, state);
      this.#reads.beginInBackground();
    }
    const { ring } = state.keys;
    return chain(ring.find(key), (owner) => {
      return owner || state.kind === "outage" ? owner : this.#findAfterReads(key, earlierReads, state, ring);
    });
  }

  /**
   * Looks a key up each time when a read has ended, until it is found, or a read has decided that
   * there is no such key.
   *
   * @param earlierReads The number of the last read that began before the request came.
   * @param before The state when the request came.
   * @param searched The ring that does not have the key. It is not searched again, because that may
   * need the digest of the key.
   */
  async #findAfterReads(
    key: string,
    earlierReads: number,
    before: KeyState,
    searched?: KeyRing,
  ): Promise<KeyOwner | undefined> {
    let state = before;
    let withoutKey = searched;
    while (true) {
      state = await this.#nextState(state);
      if (state.kind === "unread") throw state.error;
      const { ring, read } = state.keys;
      const owner = ring === withoutKey ? undefined : await ring.find(key);
      if (owner) return owner;
      // A read that began after the request has each key that the request may use. In an outage, no request waits longer.
      if (read.number > earlierReads || state.kind === "outage") return undefined;
      withoutKey = ring;
    }
  }

  /** Waits for another state than this one. */
  async #nextState(state: KeyState): Promise<KeyState> {
    while (this.#state === state) await this.#reads.waitForStep();
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
    // The store leaves the keys out if they are those of the version that it is given. At the first
    // read that is "", which is the version of no keys.
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
