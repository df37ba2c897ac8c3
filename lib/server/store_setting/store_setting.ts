import type { StoredKey } from "../../stores/key_store.ts";
import type { PetSink } from "../../stores/pet_rows.ts";
import type { KeyedPetStore, PetDraft } from "../../stores/store.ts";

/** A store of this program. `isNew` says whether opening it has made its tables. */
export type OpenStore = KeyedPetStore & { readonly isNew?: boolean };

/** A store that is not open yet. */
export interface StoreSetting {
  /** The address of the store without its secrets, for messages. */
  description: string;
  /** The path of an SQLite file. Other stores have none. */
  path?: string;
  open(): OpenStore | Promise<OpenStore>;
  /**
   * What other programs can do with the store. It is absent for a store in memory, which only one isolate can reach.
   */
  shared?: SharedStore;
}

/** Where the API keys are. */
export interface KeysSetting {
  place: string;
  /** Reads the keys without opening the store, which would migrate it. */
  list(): Promise<readonly StoredKey[]>;
  open(createIfMissing: boolean): Promise<OpenStore>;
}

/** What other programs can do with a store while servers use it. */
export interface SharedStore {
  keys: KeysSetting;
  /** `faults` say why it is not sound; `contents`, of a sound one, has the schema too. */
  check(): Promise<{ faults: string[]; contents: string }>;
  export(write: PetSink): Promise<unknown>;
  /** Adds all pets, or none, as if the signal is aborted. `isNew` says whether this has made the tables. */
  import(pets: readonly PetDraft[], signal: AbortSignal): Promise<{ isNew: boolean }>;
}
