import type { DatabaseSync, StatementSync } from "node:sqlite";
import { closeUnused } from "./descriptors.ts";
import type { OpenDatabase } from "./open.ts";
import { type OpenedFiles, requireInPlace } from "./opened_files.ts";
import { StoreUnavailableError } from "../store.ts";
import { requireKnownSchema } from "./schema.ts";

/**
 * A connection to a database, which it owns. It knows whether the files are still in their place, and whether their schema is still the one
 * that this program knows. Each transaction that writes asks for both, because a create that goes into a deleted file would be lost.
 */
export class FileConnection {
  readonly #db: DatabaseSync;
  /** The path in the operator's words, for messages. */
  readonly givenPath: string;
  readonly #files: OpenedFiles | undefined;
  readonly #selectVersion: StatementSync;
  /** The version of the schema at the last check. While it stays the same, the rest of the schema is not looked at, for speed. */
  #knownVersion: unknown;

  constructor({ db, files }: OpenDatabase, givenPath: string) {
    this.#db = db;
    this.#files = files;
    this.givenPath = givenPath;
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
    if (this.#files) requireInPlace(this.#files);
  }

  requireSchema(): void {
    const version = this.#readVersion();
    if (version === this.#knownVersion) return;
    if (requireKnownSchema(this.#db, this.givenPath) === 0) {
      throw new StoreUnavailableError(`${this.givenPath} has been overwritten by an empty database; restart`);
    }
    this.#knownVersion = version;
  }

  /** Closes the connection, unless the files have been moved or replaced. */
  close(): void {
    try {
      this.requireInPlace();
    } catch {
      LEFT_OPEN.push(this.#db);
      return;
    }
    this.#db.close();
    if (this.#files) closeUnused(this.#files.path);
  }

  #readVersion(): unknown {
    return this.#selectVersion.get()?.["user_version"];
  }
}

/**
 * Connections whose files have been replaced. They stay open until the process ends: to close one, even by garbage collection, would delete
 * the log of another database.
 */
const LEFT_OPEN: DatabaseSync[] = [];
