/** From a `--store` setting to a store. */

import { createMemoryStore } from "../stores/memory.ts";
import { createSqliteStore } from "../stores/sqlite.ts";
import { type PetStore, StoreUnavailableError } from "../stores/store.ts";
import { makeFolder } from "./key_file.ts";
import { DEFAULT_STORE, SettingError, SQLITE } from "./settings.ts";

/**
 * Opens the store that a setting names, one that {@link readSettings} has accepted.
 *
 * @throws {SettingError} If it cannot be opened.
 */
export async function openStore(setting: string): Promise<PetStore> {
  if (setting === "memory:") return createMemoryStore();
  const path = setting.slice(SQLITE.length);
  try {
    // Only the folder of the default: one that a typing error named must not come into being.
    if (setting === DEFAULT_STORE) await makeFolder(path);
    return createSqliteStore(path);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new SettingError(error instanceof StoreUnavailableError ? message : `${path} cannot be opened: ${message}`);
  }
}
