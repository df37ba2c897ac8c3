/** The schema of an SQLite file: whose it is, which version it has, and how an older one is brought up to date. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { VERSION } from "../../version.ts";
import { StoreUnavailableError } from "../store.ts";

/** "Pets" in ASCII: tells our files from other people's (PRAGMA application_id). */
const APPLICATION_ID = 0x50657473;

/**
 * The schema's history: entry n makes version n + 1 (PRAGMA user_version) out of version n. Entries are only ever added.
 * One that an older release could not work with, reading or writing, updates `compatibility` too.
 *
 * AUTOINCREMENT keeps an id from being given again after somebody has deleted the last row by hand. The status is a
 * number (0 available, 1 pending, 2 sold), since the text would be a fifth of the file. The index ends in the rowid, as
 * every SQLite index does, and so gives the pets of one status in order of id.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE pets (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status INTEGER NOT NULL CHECK (status IN (0, 1, 2))
   ) STRICT;
   CREATE INDEX pets_by_status ON pets (status);`,
  // Requests that may be sent again; expires_at is in milliseconds since 1970.
  `CREATE TABLE idempotency_keys (
     key TEXT PRIMARY KEY,
     fingerprint TEXT NOT NULL,
     pet_id INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);`,
  // Which releases can use a file that a later one has changed.
  `CREATE TABLE compatibility (
     oldest_version INTEGER NOT NULL,
     oldest_release TEXT NOT NULL
   ) STRICT;
   INSERT INTO compatibility VALUES (3, '0.2.0');`,
];

/**
 * Requires that a database is empty or of this program, and that this release can use it. To be called in a transaction:
 * between two of its reads another process may make a database of an empty file.
 *
 * @returns Its version, 0 if it is empty.
 * @throws {StoreUnavailableError} If not.
 */
export function requireKnownSchema(db: DatabaseSync, path: string): number {
  const owner = readPragma(db, "application_id");
  const version = readPragma(db, "user_version");
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (owner !== APPLICATION_ID && !(isEmpty && owner === 0 && version === 0)) {
    throw new StoreUnavailableError(`${path} is an SQLite database of another program; it was left as it is`);
  }
  if (version < 0) throw new StoreUnavailableError(`${path} has schema version ${version}, which no release has made`);
  if (version > MIGRATIONS.length) requireCompatible(db, path, version);
  return version;
}

/** A later release has changed the file, and says which ones can still use it. */
function requireCompatible(db: DatabaseSync, path: string, version: number): void {
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'compatibility'").get() !== undefined;
  const { oldest_version, oldest_release } = hasTable && db.prepare("SELECT * FROM compatibility").get() || {};
  if (Number(oldest_version) <= MIGRATIONS.length) return;
  const needed = oldest_release === undefined ? "a later release" : `release ${oldest_release} or later`;
  throw new StoreUnavailableError(`${path} has schema version ${version}, which needs ${needed}; this is ${VERSION}`);
}

/**
 * Brings an older schema up to date, in one transaction.
 *
 * @throws {StoreUnavailableError} If the database is not one that this release can use.
 */
export function migrate(db: DatabaseSync, path: string): void {
  if (readPragma(db, "user_version") === MIGRATIONS.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Asked under the lock: while this one waited, another process may have migrated, to a later version even.
    const version = requireKnownSchema(db, path);
    for (const statements of MIGRATIONS.slice(version)) db.exec(statements);
    if (version < MIGRATIONS.length) {
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
    }
    db.exec("COMMIT");
  } catch (error) {
    rollback(db);
    throw error;
  }
}

/** Notices that a file that is in use has been migrated by a later release, or overwritten. */
export class SchemaWatch {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #read: StatementSync;
  #known: unknown;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
    this.#read = db.prepare("PRAGMA user_version");
    this.#known = this.#version();
  }

  /** Throws a {@link StoreUnavailableError} if this release cannot use it any more. */
  require(): void {
    const version = this.#version();
    if (version === this.#known) return;
    if (requireKnownSchema(this.#db, this.#path) < MIGRATIONS.length) {
      throw new StoreUnavailableError(`${this.#path} has been overwritten by an older or empty database; restart`);
    }
    this.#known = version;
  }

  #version(): unknown {
    return this.#read.get()?.["user_version"];
  }
}

/** Ends a transaction that failed, unless SQLite has ended it already, as it does on a full disk. */
export function rollback(db: DatabaseSync): void {
  try {
    db.exec("ROLLBACK");
  } catch (error) {
    // Found out so, because Node before 22.16 has no `isTransaction`.
    if (!String(error).includes("no transaction is active")) throw error;
  }
}

function readPragma(db: DatabaseSync, name: "application_id" | "user_version"): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}
