import type { DatabaseSync, StatementSync } from "node:sqlite";
import { closeUnused, type OpenedFiles, requireInPlace } from "./opened_files.ts";
import { requireKnownSchema } from "./schema.ts";
import { SharedRead } from "./shared_read.ts";

/** Garbage collection would close these connections if nothing referred to them. */
const KEPT_OPEN: DatabaseSync[] = [];

/**
 * A connection to a database, which it owns.
 *
 * Two things can happen to a database while it is open:
 *
 * - Its files are deleted, moved or replaced, for example by a restore. SQLite does not notice, and
 *   a create would go into a deleted file. `requireInPlace()` finds this out: before each commit,
 *   at each use of the keys, in the store's `check()`, and before the close.
 * - Another program alters its schema, or overwrites the file in its place.
 *   {@link Connection.requireSchema} finds this out: before each commit, and after a read that has
 *   failed.
 *
 * Each check throws a `StoreUnavailableError` while this is so, and a create that fails by it
 * stores nothing.
 */
export class Connection {
  readonly db: DatabaseSync;
  /** The path in the operator's words, for messages. */
  readonly givenPath: string;
  /** Undefined if the database is in memory. */
  readonly files: OpenedFiles | undefined;
  /** Whether this program has made the tables when it opened the database. */
  readonly isNew: boolean;
  /** The transaction of the reads by this connection. Whatever else begins a transaction ends it first. */
  readonly sharedRead: SharedRead;
  readonly #selectVersion: StatementSync;
  /**
   * The version of the schema at the last check. While it stays the same, the rest of the schema is
   * not looked at, for speed.
   */
  #knownVersion: unknown;

  /** `open.ts` makes a connection when it has checked the schema. */
  constructor({ db, givenPath, files, isNew }: Pick<Connection, "db" | "givenPath" | "files" | "isNew">) {
    this.db = db;
    this.givenPath = givenPath;
    this.files = files;
    this.isNew = isNew;
    this.sharedRead = new SharedRead(db);
    this.#selectVersion = db.prepare("PRAGMA user_version");
    this.#knownVersion = this.#readVersion();
  }

  /**
   * Checks that a transaction may be committed. A check before the commit is enough, because a file
   * might as well be moved right after the commit.
   */
  requireCommittable(): void {
    requireInPlace(this.files);
    this.requireSchema();
  }

  /** @throws {StoreUnavailableError} If the file was overwritten, or another program has altered its schema. */
  requireSchema(): void {
    const version = this.#readVersion();
    if (version === this.#knownVersion) return;
    requireKnownSchema(this.db, this.givenPath);
    this.#knownVersion = version;
  }

  /** Closes the connection, or keeps it open until the process ends if the files are not in their place. */
  close(): void {
    try {
      requireInPlace(this.files);
    } catch {
      // SQLite deletes the log when it closes, and finds it by its name. The log may now be that of another database.
      KEPT_OPEN.push(this.db);
      return;
    }
    this.db.close();
    if (this.files) closeUnused(this.files.path);
  }

  #readVersion(): unknown {
    return this.#selectVersion.get()?.["user_version"];
  }
}
