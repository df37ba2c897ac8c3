/** Prints a new API key, and stores it. */

import { createKeyManager } from "../../access/key_management.ts";
import type { AddedKey, KeyManager } from "../../access/key_manager.ts";
import type { KeyStore } from "../../stores/key_store.ts";
import { explain, SettingError, UnreachableError } from "../process/start_error.ts";
import type { Context } from "./command.ts";

/**
 * Makes a key, prints it, and only then stores it. A key that cannot be printed, as on a full disk, must not be valid, nor end the
 * key that it replaces.
 */
export async function printAndStore(
  store: KeyStore,
  { writers: { output, errors } }: Context,
  make: (keys: KeyManager) => Promise<AddedKey>,
): Promise<void> {
  const additions: Parameters<KeyStore["add"]>[] = [];
  const postponing: KeyStore = {
    add: (...addition) => additions.push(addition) > 0,
    list: () => store.list(),
    revoke: (id, at) => store.revoke(id, at),
    touch: (uses) => store.touch(uses),
    remove: (ids) => store.remove(ids),
  };
  const { key, id, label, readOnly, expires } = await make(createKeyManager(postponing));
  output.add(key);
  await output.flush();
  if (output.hasFailed) throw new UnreachableError("The key cannot be printed, so nothing was changed");
  for (const addition of additions) await storePrinted(store, addition);
  const rights = readOnly ? "may read" : "may read and write";
  errors.add(`petstore: ${id} (${label}) ${rights} and ${describeEnd(expires)}. The key cannot be shown again`);
}

async function storePrinted(store: KeyStore, addition: Parameters<KeyStore["add"]>): Promise<void> {
  let isAdded: boolean;
  try {
    isAdded = await store.add(...addition);
  } catch (error) {
    throw explain("The printed key is not valid, because it cannot be stored", error);
  }
  if (!isAdded) {
    throw new SettingError("The printed key is not valid, because the one to replace was revoked meanwhile");
  }
}

export function describeEnd(expires: Date | undefined): string {
  return expires === undefined ? "does not expire" : `expires ${expires.toISOString()}`;
}
