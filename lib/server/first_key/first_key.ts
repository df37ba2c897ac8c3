/**
 * Makes sure that a server accepts an API key: one of its settings, one of the store, that of the
 * key file, or a new one.
 */

import { createKeyManager } from "../../access/create_key_manager.ts";
import { defaultCallerId, idOf } from "../../access/key_digest.ts";
import type { KeyStore, StoredKey } from "../../stores/key_store.ts";
import { digestOfKey, type FileKey, KEY_FILE, readKey, readOrMakeKey } from "./key_file.ts";
import { commandLine } from "../process/messages.ts";
import { explain } from "../process/start_error.ts";

/** The label of the key in the file. */
const FIRST_LABEL = "first start";

/** What the greeting of a server says about its API keys. */
export interface FirstKey {
  /** The key itself, if this start made it. It does not belong in a log. */
  newKey?: string;
  /** Says where the key is. */
  note: string;
  /**
   * The key as a shell takes it. A command with it can be pasted as it is, if the key is in a file
   * or was made for this run.
   */
  inShell: string;
}

/**
 * Makes sure that there is a key, and says where it is.
 *
 * - The settings have keys: neither the store nor the key file is looked at.
 * - The store is memory: it gets a key that ends with the server, as the pets do, and no file is
 *   made.
 * - The store has no keys: it gets the key of the key file, which is made if there is none.
 * - The store has keys: it gets that of the key file too, if there is one.
 *
 * @param configured The keys of the settings.
 * @param isLasting Whether the store is more than memory.
 * @throws {SettingError} If the keys cannot be read or kept.
 */
export async function provideFirstKey(
  configured: readonly string[],
  store: KeyStore,
  isLasting: boolean,
): Promise<FirstKey> {
  if (configured.length > 0) return keyElsewhere("as set");
  if (!isLasting) return await makeKeyForRun(store);
  try {
    const stored = await store.list();
    return stored.length === 0 ? await provideFileKey(store) : await findKeyOf(store, stored);
  } catch (error) {
    throw explain("The API keys of the store cannot be used", error);
  }
}

async function makeKeyForRun(store: KeyStore): Promise<FirstKey> {
  const { key } = await createKeyManager(store).add({ label: FIRST_LABEL });
  return { newKey: key, note: "new, until the server stops", inShell: key };
}

/** Adds the key of the key file to a store without keys. */
async function provideFileKey(store: KeyStore): Promise<FirstKey> {
  const file = await readOrMakeKey(KEY_FILE);
  await addKey(await digestOfKey(file.key), store);
  return keyInFile(file);
}

/**
 * Finds a key for a store that has keys. One that the store has revoked, or that has expired, stays
 * so, even if the key file has it.
 */
async function findKeyOf(store: KeyStore, stored: readonly StoredKey[]): Promise<FirstKey> {
  const hasValidKey = stored.some(isValid);
  const note = hasValidKey
    ? `in the store (${commandLine("keys list")})`
    : `none is valid (${commandLine("keys add")} makes one)`;
  let file: FileKey | undefined;
  try {
    file = readKey(KEY_FILE);
  } catch (error) {
    if (!hasValidKey) throw error;
    // The server does not need the file. So a fault, such as a mode that a platform has set, is only noted.
    return keyElsewhere(`${note}; ${(error as Error).message}`);
  }
  if (!file) return keyElsewhere(note);
  const digest = await digestOfKey(file.key);
  const known = stored.find((key) => key.digest === digest);
  if (known && !isValid(known)) return keyElsewhere(note);
  if (!known) await addKey(digest, store);
  return keyInFile(file);
}

/** Says that only the user knows the key. */
function keyElsewhere(note: string): FirstKey {
  return { note, inShell: "<API_KEY>" };
}

function keyInFile({ key, isNew }: FileKey): FirstKey {
  const inShell = `$(cat ${KEY_FILE})`;
  if (!isNew) return { note: `in ${KEY_FILE}`, inShell };
  return { newKey: key, note: `new, kept in ${KEY_FILE}`, inShell };
}

async function addKey(digest: string, store: KeyStore): Promise<void> {
  // The result is not looked at: it is false if another server was first, and then the store has the key too.
  await store.add({
    id: idOf(digest),
    digest,
    label: FIRST_LABEL,
    // The key gets the caller that it would have as a setting. So after a move of the key from the
    // settings to the file, or back, a client can still repeat a request with its Idempotency-Key.
    caller: defaultCallerId(digest),
    readOnly: false,
    created: new Date(),
    expires: undefined,
    revoked: undefined,
  });
}

/** Whether a key is accepted now. */
export function isValid({ expires, revoked }: Pick<StoredKey, "expires" | "revoked">): boolean {
  return revoked === undefined && (expires === undefined || expires.getTime() > Date.now());
}
