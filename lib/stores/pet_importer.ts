import type { MaybePromise } from "../maybe_promise.ts";
import type { PetDraft } from "./store.ts";

export interface ImportChunk {
  /** The digest of the chunk before it, or of the source's beginning. */
  parent: string;
  /** Of all records up to its end: 43 characters, each a letter, a digit, `-` or `_`. */
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

/** Remembers each chunk permanently. A chunk and its pets become visible together, so an import can be repeated. */
export interface PetImporter {
  readonly isNew: boolean;
  /** There are several if two sources have the same beginning. */
  followers(parent: string): MaybePromise<KnownChunk[]>;
  /**
   * Ids are given in the order of the pets. `known` is how many chunks follow its parent.
   *
   * @returns False, and nothing was added, if another importer has added a follower since.
   * @throws {StoreUnavailableError} The chunk may have been added if a connection broke.
   */
  add(chunk: ImportChunk, known: number): MaybePromise<boolean>;
  close(): MaybePromise<void>;
}
