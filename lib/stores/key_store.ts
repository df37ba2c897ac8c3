/** The contract between the management of API keys and a store of keys. Its cases are in `lib/testing/store/keys.ts`. */

import type { MaybePromise } from "../maybe_promise.ts";

/** The metadata of an API key. It contains no secret. */
export interface KeyInfo {
  /** Identifies the key, such as `key-5d0c6a1f1f0b`. Not secret. */
  id: string;
  /** The purpose of the key, in the operator's words. */
  label: string;
  /** The id of the caller that uses the key. A key and the one that replaces it have the same. */
  caller: string;
  /** Whether the key may only read. */
  readOnly: boolean;
  /** When it was made. */
  created: Date;
  /** When it expires. Undefined if it never does. */
  expires: Date | undefined;
  /** When it was revoked. Undefined if it was not. */
  revoked: Date | undefined;
  /** About when it was last used, to a minute. Undefined if that is not known. */
  lastUsed: Date | undefined;
}

/** A key as a store keeps it. */
export interface StoredKey extends KeyInfo {
  /** The SHA-256 digest of the key, as 64 lower-case hexadecimal digits. The key itself is not kept. */
  digest: string;
}

/** A use of a key. */
export interface KeyUse {
  /** The id of the key. */
  id: string;
  /** When it was used. */
  at: Date;
}

/** Every key at one moment, for a reader that looks often. */
export interface KeySnapshot {
  /** Another one whenever `list()` would return something else. */
  version: string;
  /** Absent if the version is the one that was given. */
  keys?: readonly StoredKey[];
}

/**
 * Keeps API keys. Each method returns its result or a promise of it. Times are exact to a millisecond.
 *
 * Several programs may change the keys at once. So each change is atomic, and none reverts another: an expiry only moves to an
 * earlier time, the first revocation stays, and the latest use counts, except one in the future, which was under a wrong clock.
 *
 * A store that cannot serve at the moment throws {@link StoreUnavailableError}, or rejects with it.
 */
export interface KeyStore {
  /** Every key, also those that have expired or were revoked, in the order in which they were added. */
  list(): MaybePromise<readonly StoredKey[]>;
  /**
   * Adds a key. It is on disk when this resolves.
   *
   * @param replaced The key that it replaces, and when that expires unless it expires earlier. Both happen, or neither.
   * @returns False if nothing was changed, because the store has a key with this id or digest, or because the replaced key is
   * missing or revoked.
   */
  add(key: StoredKey, replaced?: { id: string; expires: Date }): MaybePromise<boolean>;
  /**
   * Revokes a key. It is on disk when this resolves.
   *
   * @returns False if there is no such key. Revoking it again changes nothing, and returns true.
   */
  revoke(id: string, at: Date): MaybePromise<boolean>;
  /**
   * Like {@link list}, for a reader that needs the keys only if something has changed. Optional: without it, a key manager reads
   * every key at each look.
   *
   * @param version That of the last result; at first "".
   */
  listSince?(version: string): MaybePromise<KeySnapshot>;
  /** Records uses. They may be lost when the process ends. */
  touch(uses: readonly KeyUse[]): MaybePromise<void>;
  /** Removes keys for good. An id that the store does not have is ignored. */
  remove(ids: readonly string[]): MaybePromise<void>;
}

/** The latest use of each key up to now, in milliseconds. A store that has a later one replaces it: it was under a wrong clock. */
export function latestUses(uses: readonly KeyUse[], now: number): Map<string, number> {
  const latest = new Map<string, number>();
  for (const { id, at } of uses) latest.set(id, Math.max(latest.get(id) ?? 0, Math.min(at.getTime(), now)));
  return latest;
}
