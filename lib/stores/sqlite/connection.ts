import type { DatabaseSync, StatementSync } from "node:sqlite";
import { closeUnused } from "./descriptors.ts";
import { type OpenedFiles, requireInPlace } from "./opened_files.ts";
import { requireKnownSchema } from "./ownership.ts";

/**
 * A connection to a database, which it owns. It knows whether the files are still in their place, and whether their schema is still the one
 * that this program knows. Each transaction that writes asks for both, because a create that goes into a deleted file would be lost.
 */
export class Connection {
  readonly db: DatabaseSync;
  /** The path in the operator's words, for messages. */
  readonly givenPath: string;
  /** Undefined if the database is in memory. */
  readonly files: OpenedFiles | undefined;
  /** Whether this program has made the tables when it opened the database. */
  readonly isNew: boolean;
  readonly #selectVersion: StatementSync;
  /** The version of the schema at the last check. While it stays the same, the rest of the schema is not looked at, for speed. */
  #knownVersion: unknown;

  /** `open.ts` makes a connection when it has checked the schema. */
  constructor({ db, givenPath, files, isNew }: Pick<Connection, "db" | "givenPath" | "files" | "isNew">) {
    this.db = db;
    this.givenPath = givenPath;
    this.files = files;
    this.isNew = isNew;
    this.#selectVersion = db.prepare("PRAGMA user_version");
    this.#knownVersion = this.#readVersion();
  }

  /**
   * Checks that a transaction may be committed. A check before the commit is enough, because a file might as well be moved right after the
   * commit.
   */
  requireCommittable(): void {
    this.requireInPlace();
    this.requireSchema();
  }

  requireInPlace(): void {
    if (this.files) requireInPlace(this.files);
  }

  /** @throws {StoreUnavailableError} If the file was overwritten, or another program has altered its schema. */
  requireSchema(): void {
    const version = this.#readVersion();
    if (version === this.#knownVersion) return;
    requireKnownSchema(this.db, this.givenPath);
    this.#knownVersion = version;
  }

  /** Lets SQLite drop the pages that it has cached. After a failed read they may be wrong, because they were read while the disk failed. */
  dropCachedPages(): void {
    this.db.exec("PRAGMA shrink_memory");
  }

  /** Closes the connection, unless the files have been moved or replaced: to close it would delete the log of another database. */
  close(): void {
    try {
      this.requireInPlace();
    } catch {
      keepOpen(this.db);
      return;
    }
    this.db.close();
    if (this.files) closeUnused(this.files.path);
  }

  #readVersion(): unknown {
    return this.#selectVersion.get()?.["user_version"];
  }
}

/** Keeps a connection open until the process ends. Garbage collection would close it if nothing referred to it. */
function keepOpen(db: DatabaseSync): void {
  KEPT_OPEN.push(db);
}

const KEPT_OPEN: DatabaseSync[] = [];
