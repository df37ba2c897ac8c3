/** The contract of imports: many pets in chunks, and none twice. The databases implement it; a store in memory does not need it. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { PetDraft } from "./store.ts";

/** The records of a source that one transaction adds. */
export interface ImportChunk {
  /** The digest of the chunk before it, or of the source's beginning. */
  parent: string;
  /** A digest of all records of the source up to the end of this chunk: 43 characters, each a letter, a digit, `-` or `_`. */
  digest: string;
  /** How many records it has, including those that are not pets. */
  records: number;
  pets: readonly PetDraft[];
}

/** A chunk that was added earlier. */
export interface KnownChunk {
  digest: string;
  records: number;
  /** How many pets it added. */
  pets: number;
}

/**
 * Adds pets in chunks, and remembers each chunk permanently. A chunk and its pets become visible together, so an import that was
 * cut short can be repeated: it skips the chunks that exist. Several importers and servers may write at the same time.
 */
export interface PetImporter {
  /** Whether opening it has made the tables. */
  readonly isNew: boolean;
  /** Whether the store has no pet. */
  isEmpty(): MaybePromise<boolean>;
  /** The chunks that follow one. There are several if two sources have the same beginning. */
  followers(parent: string): MaybePromise<KnownChunk[]>;
  /**
   * Adds a chunk in one transaction. Ids are given in the order of the pets.
   *
   * @param known How many chunks follow its parent, according to {@link followers}.
   * @returns False if another importer has added a follower since. Nothing has been added then.
   * @throws {StoreUnavailableError} If the store cannot be written. The chunk may have been added if a connection broke.
   */
  add(chunk: ImportChunk, known: number): MaybePromise<boolean>;
  close(): MaybePromise<void>;
}
