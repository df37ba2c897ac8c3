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

import { checkAll, type Checks, optionalFunction } from "../option_checks.ts";
import type { KeyInfo, KeyStore, StoredKey } from "../stores/key_store.ts";
import { KeyCache } from "./key_cache.ts";
import { makeKey } from "./key_text.ts";
import {
  type AddedKey,
  type CheckedKey,
  checkExpiry,
  type CheckingKeyManager,
  checkNewKey,
  type KeyManager,
  type NewKeyOptions,
  type RotateOptions,
  UnknownKeyError,
} from "./key_manager.ts";
import { digestOf, idOf } from "./key_digest.ts";
import type { KeyRecord } from "./key_ring.ts";
import { type ApiKey, checkKeys } from "./keys_option.ts";

export type { AddedKey, ApiKey, KeyInfo, KeyManager, KeyStore, NewKeyOptions, RotateOptions, StoredKey };
export { UnknownKeyError };

/** Options of {@link createKeyManager}. */
export interface KeyManagerOptions {
  /** Keys that are valid beside those of the store, and that no method can end. Default: none. */
  keys?: Iterable<string | ApiKey>;
  /**
   * Called when the keys become unreadable, and with undefined afterwards. The last known keys stay valid. Default:
   * `console.error`.
   */
  onOutage?: (error: unknown) => void;
}

const DAY = 86_400_000;

/**
 * Creates a {@link KeyManager}, the option `keys` of {@link createPetstore}.
 *
 * @param store Where the keys are kept: the `keys` of a store, or your own.
 * @throws {TypeError} If an argument is invalid.
 */
export function createKeyManager(store: KeyStore, options: KeyManagerOptions = {}): KeyManager {
  for (const method of ["list", "add", "revoke"] as const) {
    if (typeof store?.[method] === "function") continue;
    throw new TypeError(`A key manager needs a KeyStore, such as createMemoryStore().keys; it has no ${method}()`);
  }
  const { keys, onOutage } = checkAll(MANAGER_CHECKS, options, "");
  const cache = new KeyCache(store, keys, onOutage);
  const manager: CheckingKeyManager = {
    // The time is 0 if no observer needs it.
    findKey: (key, { arrivedAt }) => cache.find(key, arrivedAt || performance.now()),
    async add(newKey) {
      return await addKey(store, cache, checkNewKey(newKey));
    },
    list: async () => (await store.list()).map(({ digest: _, ...info }) => info),
    async rotate(id, rotation = {}) {
      const { overlapMs, expires } = checkAll(ROTATION_CHECKS, rotation, "");
      const replaced = { id, expires: new Date(Date.now() + overlapMs) };
      const successor = successorOf(await store.list(), id);
      successor.expires = expires ?? successor.expires;
      return await addKey(store, cache, successor, replaced);
    },
    async revoke(id) {
      if (!await store.revoke(id, new Date())) throw new UnknownKeyError("key", id);
      await cache.renew();
    },
    check: () => cache.renew(),
  };
  return manager;
}

const MANAGER_CHECKS: Checks<KeyManagerOptions, { keys: KeyRecord[]; onOutage: (error: unknown) => void }> = {
  keys: (keys) => keys === undefined ? [] : checkKeys(keys),
  onOutage: optionalFunction(reportOutage),
};

const ROTATION_CHECKS: Checks<RotateOptions, { overlapMs: number; expires: Date | undefined }> = {
  overlapMs: (overlapMs = DAY) => checkOverlap(overlapMs),
  expires: checkExpiry,
};

function checkOverlap(overlapMs: number): number {
  const end = new Date(Date.now() + overlapMs);
  if (overlapMs >= 0 && !Number.isNaN(end.getTime())) return overlapMs;
  const type = typeof overlapMs === "number" ? RangeError : TypeError;
  throw new type(`overlapMs must be milliseconds, 0 or more, not ${overlapMs}`);
}

/**
 * The properties of the key that replaces another one. It lives from now on as long as the other did.
 *
 * @throws {UnknownKeyError} If there is no such key, or it has expired.
 */
function successorOf(stored: readonly StoredKey[], id: string): CheckedKey {
  const now = Date.now();
  const old = stored.find((key) => key.id === id);
  if (!old || (old.expires?.getTime() ?? Infinity) <= now) throw new UnknownKeyError("valid key", id);
  // A key that was replaced expires early, so its own dates do not tell the usual lifetime. The last key of its line
  // does.
  const { expires, created } = stored.findLast(({ caller, label }) => caller === old.caller && label === old.label)!;
  const { label, caller, readOnly } = old;
  return { label, caller, readOnly, expires: expires && new Date(now + expires.getTime() - created.getTime()) };
}

async function addKey(
  store: KeyStore,
  cache: KeyCache,
  { label, expires, readOnly, caller }: CheckedKey,
  replaced?: { id: string; expires: Date },
): Promise<AddedKey> {
  const key = makeKey();
  const digest = await digestOf(key);
  const id = idOf(digest);
  const dates = { created: new Date(), expires, revoked: undefined };
  const info: KeyInfo = { id, label, caller: caller ?? id, readOnly, ...dates };
  if (!await store.add({ ...info, digest }, replaced)) throw new UnknownKeyError("valid key", replaced?.id ?? id);
  // The key is valid already. An error now would make the caller lose it, so a read that fails is left to a later
  // request.
  await cache.renew().catch(() => {});
  return { key, ...info };
}

function reportOutage(error: unknown): void {
  if (error !== undefined) {
    console.error("The API keys cannot be read at the moment; the last known ones stay valid", error);
  }
}
