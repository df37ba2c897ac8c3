/** Makes sure that a server has an API key: one that is set, one of the store, or a new one. */

import { createKeyManager } from "../../access/key_management.ts";
import { defaultCallerId, idOf } from "../../access/key_ring.ts";
import type { KeyStore, StoredKey } from "../../stores/key_store.ts";
import { digestOfKey, KEY_FILE, readKey, readOrMakeKey } from "./key_file.ts";
import { commandLine } from "../process/invocation.ts";
import { explain } from "../process/start_error.ts";

/** The label of the key in the file. */
export const FIRST_LABEL = "first start";

/** A key that a user of the server can take. */
export interface FirstKey {
  location: "file" | "memory" | "settings" | "store";
  /** Whether this start has made the key. */
  isNew: boolean;
  /** Where it is, for the greeting. Has the key itself if this start made it. */
  note: string;
  /** The key itself, if it is kept nowhere. */
  key?: string;
}

/**
 * Adds the key of the key file to the store, unless the store has it. If there is neither, makes both.
 *
 * @param configured The keys of the settings. With these, the key file is not used.
 * @throws {SettingError} If the keys cannot be read or kept.
 */
export async function provideFirstKey(configured: readonly string[], store: KeyStore): Promise<FirstKey> {
  if (configured.length > 0) return AS_SET;
  try {
    const stored = await store.list();
    if (stored.some(isValid)) {
      const unusable = findFault(KEY_FILE);
      // Platforms set modes of their own. The store has a key, so nothing needs the file.
      if (unusable !== undefined) return inStore(`${noteOfStore()}; ${unusable}`);
    }
    const file = stored.length === 0 ? await readOrMakeKey(KEY_FILE) : readKey(KEY_FILE);
    if (file && await acceptKey(file.key, stored, store)) {
      const note = file.isNew ? `${file.key} (new, kept in ${KEY_FILE})` : `in ${KEY_FILE}`;
      return { location: "file", isNew: file.isNew, note };
    }
    return inStore(stored.some(isValid) ? noteOfStore() : `none is valid (${commandLine("keys add")} makes one)`);
  } catch (error) {
    throw explain("The API keys of the store cannot be used", error);
  }
}

/**
 * Like {@link provideFirstKey}, for a store in memory: its key ends with the server, like its pets, and no file is made.
 */
export async function makeFirstKey(configured: readonly string[], store: KeyStore): Promise<FirstKey> {
  if (configured.length > 0) return AS_SET;
  const { key } = await createKeyManager(store).add({ label: FIRST_LABEL });
  return { location: "memory", isNew: true, note: `${key} (new, until the server stops)`, key };
}

function noteOfStore(): string {
  return `in the store (${commandLine("keys list")})`;
}

function inStore(note: string): FirstKey {
  return { location: "store", isNew: false, note };
}

/** Why the key file cannot be used, or undefined if it can or is not there. */
function findFault(path: string): string | undefined {
  try {
    readKey(path);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const AS_SET: FirstKey = { location: "settings", isNew: false, note: "as set" };

/**
 * Adds the key of the file to the store, unless the store has it. Returns whether the store accepts it: a key that the store has revoked, or
 * that has expired, stays so.
 */
async function acceptKey(key: string, stored: readonly StoredKey[], store: KeyStore): Promise<boolean> {
  const digest = await digestOfKey(key);
  const known = stored.find((each) => each.digest === digest);
  if (known) return isValid(known);
  // The key has the caller that it would have as a setting. So who moves a key from the settings to the file, or back, can still
  // repeat a request with its Idempotency-Key.
  const names = { id: idOf(digest), label: FIRST_LABEL, caller: defaultCallerId(digest) };
  const times = { created: new Date(), expires: undefined, revoked: undefined };
  // Returns false if another server was first. The store has the key then.
  await store.add({ ...names, ...times, digest, readOnly: false });
  return true;
}

/** Whether a key is accepted at present. */
export function isValid({ expires, revoked }: Pick<StoredKey, "expires" | "revoked">): boolean {
  return revoked === undefined && (expires === undefined || expires.getTime() > Date.now());
}
