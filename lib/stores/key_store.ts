import type { MaybePromise } from "../promises.ts";

/** The metadata of an API key, without a secret. */
export interface KeyInfo {
  /** The name of the key in lists and commands, such as `key-5d0c6a1f1f0b`. */
  id: string;
  /** The purpose of the key, in the operator's words. */
  label: string;
  /** The caller's id. A key and the one that replaces it have the same. */
  caller: string;
  /** Whether the key may only read. */
  readOnly: boolean;
  /** When the key was made. */
  created: Date;
  /** When the key expires; undefined if it never does. */
  expires: Date | undefined;
  /** When the key was revoked; undefined if it was not. */
  revoked: Date | undefined;
}

/** A key as a store keeps it. */
export interface StoredKey extends KeyInfo {
  /** The SHA-256 digest of the key, as 64 lower-case hexadecimal digits. */
  digest: string;
}

/** Every key at one moment. */
export interface KeySnapshot {
  /** A text that changes whenever {@link KeyStore.list} would return something else. */
  version: string;
  /** The keys. They are absent if the caller of {@link KeyStore.listSince} has given this version, and so has them. */
  keys?: readonly StoredKey[];
}

/**
 * Keeps API keys. Times are exact to a millisecond. A store that cannot serve throws
 * {@link StoreUnavailableError}.
 *
 * Each change is atomic, and none reverts a change of another program: an expiry only moves to an
 * earlier time, and the first revocation stays. When a change resolves, it is as durable as a pet
 * that was created: on disk, if the store has one.
 */
export interface KeyStore {
  /** Every key, also expired and revoked ones, in the order in which they were added. */
  list(): MaybePromise<readonly StoredKey[]>;
  /**
   * Adds a key.
   *
   * @param replaced The id and the new expiry of the key that the added one replaces. Both keys are
   * changed, or neither.
   * @returns False if the id or digest exists, or the replaced key is missing or revoked.
   */
  add(key: StoredKey, replaced?: { id: string; expires: Date }): MaybePromise<boolean>;
  /**
   * Revokes a key. A second revocation changes nothing.
   *
   * @returns False if there is no such key.
   */
  revoke(id: string, at: Date): MaybePromise<boolean>;
  /**
   * Like {@link list}, but leaves the keys out if they are those of the given version. If a store
   * lacks this method, a key manager reads every key each time.
   *
   * @param version The version of the last result, or "" at first.
   */
  listSince?(version: string): MaybePromise<KeySnapshot>;
}
