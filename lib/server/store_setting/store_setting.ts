/** The store that a setting names, before it is open, and what commands do with it. */

import type { StoredKey } from "../../stores/key_store.ts";
import type { PetSink } from "../../stores/sql_tables.ts";
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
  /** What commands can do with the store. It is absent for a store in memory, which only its own server can reach. */
  shared?: SharedStore;
}

/** The result of the check of a store. */
export interface StoreCheck {
  /** Why the store is not sound. A sound one has no faults. */
  faults: string[];
  /** What a sound store has, which may include the schema. */
  contents: string;
}

/** What commands can do with a store while servers use it. Each method opens the store for itself. */
export interface SharedStore {
  /** Reads the API keys without opening the store, which would make or migrate it. Fails if the store does not exist. */
  listKeys(): Promise<readonly StoredKey[]>;
  check(): Promise<StoreCheck>;
  /** Writes all pets, as they are at one moment. */
  export(write: PetSink): Promise<unknown>;
  /** Adds all pets, or none, such as when the signal is aborted. `isNew` says whether this has made the tables. */
  import(pets: readonly PetDraft[], signal: AbortSignal): Promise<{ isNew: boolean }>;
}
