/** Makes sure that a server has an API key: one that is set, one of the store, or a new one. */

import { idOf } from "../access/key_ring.ts";
import { defaultCallerId, digestOf } from "../access/key_ring.ts";
import { checkKeys } from "../access/keys.ts";
import type { KeyStore, StoredKey } from "../stores/key_store.ts";
import { type FileKey, KEY_FILE, readKey, readKeyFile } from "./key_file.ts";
import { explain } from "./start_error.ts";

/** The label of the key in the file. */
const LABEL = "first start";

/**
 * Adds the key of the key file to the store, unless the store has it. If there is neither, makes both.
 *
 * @param configured The keys of the settings. With these, the key file is not used.
 * @returns The key of the file if it is valid, otherwise a note about the keys.
 * @throws {SettingError} If the keys cannot be read or kept.
 */
export async function findFirstKey(
  configured: readonly string[],
  store: KeyStore | undefined,
): Promise<FileKey | string> {
  if (configured.length > 0 || !store) return "as set";
  try {
    const stored = await store.list();
    const file = stored.length === 0 ? await readKeyFile(KEY_FILE) : readKey(KEY_FILE);
    if (file && await isAccepted(file, stored, store)) return file;
    if (stored.some(isValid)) return "in the store (petstore keys list)";
    return "none is valid (petstore keys add makes one)";
  } catch (error) {
    throw explain("The API keys of the store cannot be used", error);
  }
}

/** Where a user of the server finds a key. */
export type KeyLocation = "file" | "settings" | "store";

/** @param key The result of {@link findFirstKey} with these settings. */
export function keyLocationOf(key: FileKey | string, configured: readonly string[]): KeyLocation {
  if (configured.length > 0) return "settings";
  return typeof key === "string" ? "store" : "file";
}

async function isAccepted({ key }: FileKey, stored: readonly StoredKey[], store: KeyStore): Promise<boolean> {
  const [record] = checkKeys([key]);
  const digest = record!.isDigest ? record!.key : await digestOf(key);
  const known = stored.find((each) => each.digest === digest);
  if (known) return isValid(known);
  // The caller as if the key were a setting, so that requests with an Idempotency-Key can be repeated across an upgrade.
  const names = { id: idOf(digest), label: LABEL, caller: defaultCallerId(digest) };
  const times = { created: new Date(), expires: undefined, revoked: undefined, lastUsed: undefined };
  // Returns false if another server was first. The store has the key then.
  await store.add({ ...names, ...times, digest, readOnly: false });
  return true;
}

/** Whether a key is accepted at present. */
export function isValid({ expires, revoked }: Pick<StoredKey, "expires" | "revoked">): boolean {
  return revoked === undefined && (expires === undefined || expires.getTime() > Date.now());
}
