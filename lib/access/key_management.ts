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

import type { KeyStore } from "../stores/key_store.ts";
import type { KeyManager } from "./key_manager.ts";
import { type KeyManagerOptions, ManagedKeys } from "./managed_keys.ts";

export type { KeyInfo, KeyStore, StoredKey } from "../stores/key_store.ts";
export type { AddedKey, KeyManager, NewKeyOptions, RotateOptions } from "./key_manager.ts";
export { UnknownKeyError } from "./key_manager.ts";
export type { ApiKey } from "./keys.ts";
export type { KeyManagerOptions } from "./managed_keys.ts";

/**
 * Creates a {@link KeyManager}. Give the same object to {@link createPetstore}.
 *
 * @param store Where the keys are kept: the `keys` of a store, or your own.
 * @throws {TypeError} If an argument is invalid.
 */
export function createKeyManager(store: KeyStore, options: KeyManagerOptions = {}): KeyManager {
  return new ManagedKeys(store, options);
}
