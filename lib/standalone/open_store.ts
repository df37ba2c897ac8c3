/** From a `--store` setting to a store. */

import { createMemoryStore } from "../stores/memory.ts";
import { createSqliteStore } from "../stores/sqlite.ts";
import { type PetStore, StoreUnavailableError } from "../stores/store.ts";
import { makeFolder } from "./key_file.ts";
import { DEFAULT_STORE, SettingError } from "./settings.ts";

/**
 * Opens the store that a setting names.
 *
 * @throws {SettingError} If it names none, or one that cannot be opened.
 */
export async function openStore(setting: string): Promise<PetStore> {
  if (setting === "memory:") return createMemoryStore();
  const [scheme, path = ""] = splitOnce(setting, ":");
  if (scheme !== "sqlite" || path === "") {
    // Only the scheme is shown: what follows may hold a password.
    throw new SettingError(`Store ${JSON.stringify(scheme + ":")} is not known; use memory: or sqlite:<path>`);
  }
  try {
    // Only the folder of the default: one that a typing error named must not come into being.
    if (setting === DEFAULT_STORE) await makeFolder(path);
    return createSqliteStore(path);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new SettingError(error instanceof StoreUnavailableError ? message : `${path} cannot be opened: ${message}`);
  }
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
