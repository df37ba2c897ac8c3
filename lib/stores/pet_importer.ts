/** Imports of many pets in chunks, and none twice. A store in memory does not need them. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { PetDraft } from "./store.ts";

/** The records of a source that one transaction adds. */
export interface ImportChunk {
  /** The digest of the chunk before it, or of the source's beginning. */
  parent: string;
  /** Of all records up to the end of this chunk: 43 characters, each a letter, a digit, `-` or `_`. */
  digest: string;
  /** Those that are not pets too. */
  records: number;
  pets: readonly PetDraft[];
}

export interface KnownChunk {
  digest: string;
  records: number;
  pets: number;
}

/**
 * Remembers each chunk permanently. A chunk and its pets become visible together, so an import can be repeated: it
 * skips the chunks that exist. Importers and servers may write at the same time.
 */
export interface PetImporter {
  readonly isNew: boolean;
  isEmpty(): MaybePromise<boolean>;
  /** There are several if two sources have the same beginning. */
  followers(parent: string): MaybePromise<KnownChunk[]>;
  /**
   * Adds a chunk in one transaction. Ids are given in the order of the pets.
   *
   * @param known How many chunks follow its parent, according to {@link followers}.
   * @returns False, and nothing was added, if another importer has added a follower since.
   * @throws {StoreUnavailableError} If the store cannot be written. The chunk may have been added if a connection
   * broke.
   */
  add(chunk: ImportChunk, known: number): MaybePromise<boolean>;
  close(): MaybePromise<void>;
}
