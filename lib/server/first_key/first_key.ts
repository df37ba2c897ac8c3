/** Makes sure that a server accepts an API key: one of its settings, one of the store, that of the key file, or a new one. */

import { createKeyManager } from "../../access/create_key_manager.ts";
import { defaultCallerId, idOf } from "../../access/key_digest.ts";
import type { KeyStore, StoredKey } from "../../stores/key_store.ts";
import { digestOfKey, type FileKey, KEY_FILE, readKey, readOrMakeKey } from "./key_file.ts";
import { commandLine } from "../process/invocation.ts";
import { explain } from "../process/start_error.ts";

/** The label of the key in the file. */
const FIRST_LABEL = "first start";

/** What the greeting of a server says about its API keys. */
export interface FirstKey {
  /** The key itself, if this start made it. It does not belong in a log. */
  newKey?: string;
  /** Says where the key is. */
  note: string;
  /** The key as a shell takes it. A command with it can be pasted as it is, if the key is in a file or was made for this run. */
  inShell: string;
}

/**
 * Adds the key of the key file to the store, unless the store has it. If the store has no keys and there is no key file, makes the file
 * with a new key. A store in memory gets a key that ends with the server, as the pets do, and no file is made.
 *
 * @param configured The keys of the settings. If there are any, neither the store nor the key file is looked at.
 * @param isLasting Whether the store is more than memory.
 * @throws {SettingError} If the keys cannot be read or kept.
 */
export async function provideFirstKey(
  configured: readonly string[],
  store: KeyStore,
  isLasting: boolean,
): Promise<FirstKey> {
  if (configured.length > 0) return keyElsewhere("as set");
  if (!isLasting) {
    const { key } = await createKeyManager(store).add({ label: FIRST_LABEL });
    return { newKey: key, note: "new, until the server stops", inShell: key };
  }
  try {
    const stored = await store.list();
    const hasValidKey = stored.some(isValid);
    const note = hasValidKey
      ? `in the store (${commandLine("keys list")})`
      : `none is valid (${commandLine("keys add")} makes one)`;
    let file: FileKey | undefined;
    try {
      file = stored.length === 0 ? await readOrMakeKey(KEY_FILE) : readKey(KEY_FILE);
    } catch (error) {
      // A file that cannot be used, such as one with a mode that a platform has set, is only noted if nothing needs it.
      if (hasValidKey) return keyElsewhere(`${note}; ${(error as Error).message}`);
      throw error;
    }
    if (!file || !await acceptKey(file.key, stored, store)) return keyElsewhere(note);
    const inShell = `$(cat ${KEY_FILE})`;
    if (!file.isNew) return { note: `in ${KEY_FILE}`, inShell };
    return { newKey: file.key, note: `new, kept in ${KEY_FILE}`, inShell };
  } catch (error) {
    throw explain("The API keys of the store cannot be used", error);
  }
}

/** What is said of keys that only the user knows. */
function keyElsewhere(note: string): FirstKey {
  return { note, inShell: "<API_KEY>" };
}

/**
 * Adds the key of the file to the store, unless the store has it. A key that the store has revoked, or that has expired, stays so.
 *
 * @returns Whether the store accepts the key now.
 */
async function acceptKey(key: string, stored: readonly StoredKey[], store: KeyStore): Promise<boolean> {
  const digest = await digestOfKey(key);
  const storedKey = stored.find((candidate) => candidate.digest === digest);
  if (storedKey) return isValid(storedKey);
  // The result is not looked at: it is false if another server was first, and then the store has the key too.
  await store.add({
    id: idOf(digest),
    digest,
    label: FIRST_LABEL,
    // The key gets the caller that it would have as a setting. So after a move of the key from the settings to the file, or back, a
    // client can still repeat a request with its Idempotency-Key.
    caller: defaultCallerId(digest),
    readOnly: false,
    created: new Date(),
    expires: undefined,
    revoked: undefined,
  });
  return true;
}

/** Whether a key is accepted now. */
export function isValid({ expires, revoked }: Pick<StoredKey, "expires" | "revoked">): boolean {
  return revoked === undefined && (expires === undefined || expires.getTime() > Date.now());
}
