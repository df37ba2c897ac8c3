/** The store that a setting names, before it is open, and what commands do with it. */

import type { StoredKey } from "../../stores/key_store.ts";
import type { PetSink } from "../../stores/database/sql_tables.ts";
import type { KeyedPetStore, PetDraft } from "../../stores/store.ts";

/** A store that this process has opened. `isNew` says whether that has made its tables. */
export type OpenStore = KeyedPetStore & { readonly isNew?: boolean };

/** A store that is not open yet. */
export interface StoreSetting {
  /** The address of the store without its secrets, for messages. */
  description: string;
  /** The path of the SQLite file. It is absent for other stores. */
  path?: string;
  open(): OpenStore | Promise<OpenStore>;
}

/**
 * A file or a database, and what commands can do with it while servers use it. Each method opens
 * the store for itself. A store in memory has none of them, because only its own server can reach
 * it.
 */
export interface SharedStore extends StoreSetting {
  /**
   * Reads the API keys without opening the store, which would make or migrate it. Fails if the
   * store does not exist.
   */
  listKeys(): Promise<readonly StoredKey[]>;
  /**
   * Finds the `faults` for which the store is not sound, and tells what a sound one has, which may
   * include the schema.
   */
  check(): Promise<{ faults: string[]; contents: string }>;
  /** Writes all pets, as they are at one moment. */
  export(write: PetSink): Promise<unknown>;
  /** Adds all pets, or none, such as when the signal is aborted. `isNew` says whether this has made the tables. */
  import(pets: readonly PetDraft[], signal: AbortSignal): Promise<{ isNew: boolean }>;
}

export function isShared(setting: StoreSetting | SharedStore): setting is SharedStore {
  return "listKeys" in setting;
}
