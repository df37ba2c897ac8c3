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
import {
  type AddedKey,
  type CheckingKeyManager,
  checkNewKey,
  EXPIRY,
  type KeyManager,
  type NewKeyOptions,
  type RotateOptions,
  UnknownKeyError,
} from "./key_manager.ts";
import type { KeyRecord } from "./key_ring.ts";
import { type ApiKey, checkKeys } from "./keys_option.ts";
import { type MadeKey, makeNewKey, makeSuccessor } from "./new_keys.ts";

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
    // The key is valid already. An error now would make the caller lose it, so a read that fails is left to a later request.
    await cache.renew().catch(() => {});
    return { key, ...infoOf(stored) };
  }

  const manager: CheckingKeyManager = {
    // The time is 0 if no observer needs it.
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

function overlapOf(milliseconds: unknown): number | false {
  if (typeof milliseconds !== "number" || !(milliseconds >= 0)) return false;
  const end = new Date(Date.now() + milliseconds);
  return Number.isNaN(end.getTime()) ? false : milliseconds;
}
