/**
 * Manages the API keys of a petstore: they are added, rotated and revoked while it runs.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createMemoryStore, createPetstore } from "@petstore/petstore";
 * import { createKeyManager } from "@petstore/petstore/keys";
 *
 * const store = createMemoryStore();
 * const keys = createKeyManager(store.keys);
 * const { handle } = createPetstore({ store, keys });
 *
 * const { id, key } = await keys.add({ label: "dashboard", readOnly: true });
 * const ask = () => handle(new Request("http://localhost/v1/pets", { headers: { authorization: `Bearer ${key}` } }));
 * assert.equal((await ask()).status, 200);
 * await keys.revoke(id);
 * assert.equal((await ask()).status, 401);
 * ```
 *
 * @module
 */

import { checkAll, type Checks, option, optionalFunction, requireMethods } from "../option_checks.ts";
import type { KeyInfo, KeyStore, StoredKey } from "../stores/key_store.ts";
import { KeyCache, type OutageListeners } from "./key_cache.ts";
import { digestOf, idOf } from "./key_digest.ts";
import {
  type AddedKey,
  type CheckedKey,
  checkNewKey,
  EXPIRY,
  type FindingKeyManager,
  type KeyManager,
  type NewKeyOptions,
  type RotateOptions,
  UnknownKeyError,
} from "./key_manager.ts";
import type { KeyRecord } from "./key_ring.ts";
import { makeKey } from "./key_text.ts";
import { type ApiKey, checkKeys } from "./keys_option.ts";

export type { AddedKey, ApiKey, KeyInfo, KeyManager, KeyStore, NewKeyOptions, RotateOptions, StoredKey };
export { UnknownKeyError };

/** Options of {@link createKeyManager}. */
export interface KeyManagerOptions {
  /** Keys that are valid beside those of the store, and that no method can end. Default: none. */
  keys?: Iterable<string | ApiKey>;
  /** Called when the keys cannot be read any more. The last known keys stay valid. Default: `console.error`. */
  onOutage?: (error: unknown) => void;
  /** Called when the keys can be read again. Default: nothing. */
  onRecovery?: () => void;
}

/**
 * Creates a {@link KeyManager}, the option `keys` of {@link createPetstore}.
 *
 * @param store Where the keys are kept: the `keys` of a store, or your own.
 * @throws {TypeError} If an argument is invalid.
 */
export function createKeyManager(store: KeyStore, options: KeyManagerOptions = {}): KeyManager {
  requireMethods(store, ["list", "add", "revoke"], "store", "a KeyStore such as createMemoryStore().keys");
  const { keys, ...listeners } = checkAll(MANAGER_CHECKS, options);
  const cache = new KeyCache(store, keys, listeners);

  async function keep({ key, stored, replaced }: MadeKey): Promise<AddedKey> {
    // The store adds nothing if the replaced key is missing or revoked, or if it has the new one already.
    if (!await store.add(stored, replaced)) throw new UnknownKeyError("valid key", replaced?.id ?? stored.id);
    // The key is valid already. An error now would make the caller lose it, so a read that fails is
    // left to a later request.
    await cache.renew().catch(() => {});
    return { key, ...infoOf(stored) };
  }

  const manager: FindingKeyManager = {
    // The time is undefined if no observer needs it.
    findKey: (key, { arrivedAt }) => cache.find(key, arrivedAt ?? performance.now()),
    async add(newKey) {
      return await keep(await makeNewKey(checkNewKey(newKey)));
    },
    async list() {
      return (await store.list()).map(infoOf);
    },
    async rotate(id, rotation = {}) {
      const checked = checkAll(ROTATION_CHECKS, rotation);
      return await keep(await makeSuccessor(await store.list(), id, checked));
    },
    async revoke(id) {
      if (!await store.revoke(id, new Date())) throw new UnknownKeyError("key", id);
      await cache.renew();
    },
    check: () => cache.renew(),
  };
  return manager;
}

/** A key that no store has yet. */
interface MadeKey {
  /** The key in clear text. */
  key: string;
  /** What a store keeps of the key. */
  stored: StoredKey;
  /** The key that it replaces, with the new expiry of that; undefined if it replaces none. */
  replaced: { id: string; expires: Date } | undefined;
}

async function makeNewKey(
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
 * Makes the key that replaces another one. It has the label, the caller and the rights of the
 * other.
 *
 * @param stored Every key of the store.
 * @param options.overlapMs Milliseconds until the other key expires at the latest.
 * @param options.expires When the new key expires. By default, it lives from now on as long as the
 * other did.
 * @throws {UnknownKeyError} If there is no such key, or it has expired.
 */
async function makeSuccessor(
  stored: readonly StoredKey[],
  id: string,
  options: { overlapMs: number; expires: Date | undefined },
): Promise<MadeKey> {
  const now = Date.now();
  const old = stored.find((key) => key.id === id);
  if (!old || (old.expires?.getTime() ?? Infinity) <= now) throw new UnknownKeyError("valid key", id);
  // A key that was replaced expires early, so its own dates do not tell the usual lifetime. The
  // last key of its line does.
  const { expires, created } = stored.findLast(({ caller, label }) => caller === old.caller && label === old.label)!;
  const usualExpiry = expires && new Date(now + expires.getTime() - created.getTime());
  const { label, caller, readOnly } = old;
  const replaced = { id, expires: new Date(now + options.overlapMs) };
  return await makeNewKey({ label, caller, readOnly, expires: options.expires ?? usualExpiry }, replaced);
}

/** What an app may know of a key. */
function infoOf({ digest: _, ...info }: StoredKey): KeyInfo {
  return info;
}

const MANAGER_CHECKS: Checks<KeyManagerOptions, { keys: KeyRecord[] } & OutageListeners> = {
  keys: (keys) => keys === undefined ? [] : checkKeys(keys),
  onOutage: optionalFunction((error) => {
    console.error("The API keys cannot be read at the moment; the last known ones stay valid", error);
  }),
  onRecovery: optionalFunction(() => {}),
};

const DAY = 86_400_000;

const ROTATION_CHECKS: Checks<RotateOptions, { overlapMs: number; expires: Date | undefined }> = {
  overlapMs: option("milliseconds, 0 or more, which end at a date", overlapOf, DAY),
  expires: EXPIRY,
};

function overlapOf(milliseconds: unknown): number | undefined {
  if (typeof milliseconds !== "number" || !(milliseconds >= 0)) return undefined;
  const end = new Date(Date.now() + milliseconds);
  return Number.isNaN(end.getTime()) ? undefined : milliseconds;
}
