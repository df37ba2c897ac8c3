/** Makes new keys, and the keys that replace others. Nothing is stored here: a key manager and the commands do that. */

import type { StoredKey } from "../stores/key_store.ts";
import { digestOf, idOf } from "./key_digest.ts";
import { type CheckedKey, UnknownKeyError } from "./key_manager.ts";
import { makeKey } from "./key_text.ts";

/** A key that no store has yet. */
export interface MadeKey {
  /** The key in clear text. */
  key: string;
  /** What a store keeps of the key. */
  stored: StoredKey;
  /** The key that it replaces, with the new expiry of that; undefined if it replaces none. */
  replaced: { id: string; expires: Date } | undefined;
}

export async function makeNewKey(
  { label, expires, readOnly, caller }: CheckedKey,
  replaced?: MadeKey["replaced"],
): Promise<MadeKey> {
  const key = makeKey();
  const digest = await digestOf(key);
  const id = idOf(digest);
  const dates = { created: new Date(), expires, revoked: undefined };
  return { key, stored: { id, label, caller: caller ?? id, readOnly, ...dates, digest }, replaced };
}

/**
 * Makes the key that replaces another one. It has the label, the caller and the rights of the other.
 *
 * @param stored Every key of the store.
 * @param options.overlapMs Milliseconds until the other key expires at the latest.
 * @param options.expires When the new key expires. By default, it lives from now on as long as the other did.
 * @throws {UnknownKeyError} If there is no such key, or it has expired.
 */
export async function makeSuccessor(
  stored: readonly StoredKey[],
  id: string,
  options: { overlapMs: number; expires: Date | undefined },
): Promise<MadeKey> {
  const now = Date.now();
  const old = stored.find((key) => key.id === id);
  if (!old || (old.expires?.getTime() ?? Infinity) <= now) throw new UnknownKeyError("valid key", id);
  // A key that was replaced expires early, so its own dates do not tell the usual lifetime. The last key of its line does.
  const { expires, created } = stored.findLast(({ caller, label }) => caller === old.caller && label === old.label)!;
  const usualExpiry = expires && new Date(now + expires.getTime() - created.getTime());
  const { label, caller, readOnly } = old;
  const replaced = { id, expires: new Date(now + options.overlapMs) };
  return await makeNewKey({ label, caller, readOnly, expires: options.expires ?? usualExpiry }, replaced);
}
