/** Opening an SQLite file: whose is it, which version has it, and is it fit for use? Nothing is written before that is known. */

import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./sqlite_errors.ts";
import { StoreUnavailableError } from "./store.ts";

/** "Pets" in ASCII: tells our files from other people's (PRAGMA application_id). */
const APPLICATION_ID = 0x50657473;

/** How long SQLite waits for another process's lock, in milliseconds. The event loop waits too, so not for long. */
export const BUSY_TIMEOUT = 1000;

/**
 * The schema's history: entry n makes version n + 1 (PRAGMA user_version) out of version n. Entries are only ever added.
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
];

/**
 * Opens a database for reading and writing and brings its schema up to date.
 *
 * @throws {StoreUnavailableError} If the file cannot be used; it is then as it was before.
 */
export function openDatabase(path: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    const exists = path !== ":memory:" && existsSync(path);
    if (exists && statSync(path).isDirectory()) throw new StoreUnavailableError(`${path} is a folder`);
    if (path !== ":memory:") requireFileOfLog(path);
    if (exists) inspect(path);
    db = new DatabaseSync(path);
    configure(db, path);
    migrate(db);
    requireWritable(db);
    return db;
  } catch (error) {
    db?.close();
    throw error instanceof StoreUnavailableError ? error : explain(error, path);
  }
}

/** A log without its file, or beside an empty one, SQLite takes for a left-over: it deletes it, with all that it holds. */
function requireFileOfLog(path: string): void {
  // The log is looked at first: whoever makes a database writes to the file before there is a log.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (!log?.size || statSync(path, { throwIfNoEntry: false })?.size) return;
  throw new StoreUnavailableError(
    `${path} is missing or empty, but its write-ahead log is there; put the file back, or take the log away`,
  );
}

/** SQLite opens a file that it may not write for reading alone, and tells only the first who writes. */
function requireWritable(db: DatabaseSync): void {
  db.exec("PRAGMA busy_timeout = 0");
  try {
    // Not BEGIN IMMEDIATE alone: where nothing can be written, SQLite makes a BEGIN of it.
    db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${MIGRATIONS.length}; ROLLBACK`);
  } catch (error) {
    rollback(db);
    // Another process writes to it just now, so it can be written to.
    if (!isBusy(error)) throw error;
  }
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
}

/** Reads what the file says of itself over a connection that could not change it. */
function inspect(path: string): void {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    // Not the option `timeout`: Deno heeds it only where it may write.
    // In one transaction: between two reads another process may have made a database of an empty file.
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; BEGIN`);
    const owner = readPragma(db, "application_id");
    const version = readPragma(db, "user_version");
    const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    if (owner !== APPLICATION_ID && !(isEmpty && owner === 0 && version === 0)) {
      throw new StoreUnavailableError(`${path} is an SQLite database of another program; it was left as it is`);
    }
    if (version < 0 || version > MIGRATIONS.length) {
      throw new StoreUnavailableError(
        `${path} has schema version ${version}, but this release knows only those up to ${MIGRATIONS.length}; ` +
          "use the newer release that made it",
      );
    }
  } finally {
    db.close();
  }
}

function configure(db: DatabaseSync, path: string): void {
  // Not the option `timeout`, which Node before 22.16 ignores.
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  const mode = setWal(db);
  if (mode !== "wal" && path !== ":memory:") {
    throw new StoreUnavailableError(`${path} cannot use a write-ahead log; is it on a network file system?`);
  }
  // FULL: a commit returns when the log is on disk. NORMAL would acknowledge pets that a loss of power takes back.
  db.exec("PRAGMA synchronous = FULL");
}

/** Switches to a write-ahead log. That does not heed the busy timeout, and another process may be doing the same. */
function setWal(db: DatabaseSync): unknown {
  const deadline = Date.now() + BUSY_TIMEOUT;
  for (;;) {
    try {
      return db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
    } catch (error) {
      if (Date.now() > deadline || !String(error).includes("locked")) throw error;
    }
  }
}

function migrate(db: DatabaseSync): void {
  if (readPragma(db, "user_version") === MIGRATIONS.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Read again: another process may have migrated while this one waited for the lock.
    for (const statements of MIGRATIONS.slice(readPragma(db, "user_version"))) db.exec(statements);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
  } catch (error) {
    rollback(db);
    throw error;
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

/** What SQLite's message means for the operator. The texts are sqlite3_errstr()'s, the same on every runtime. */
const EXPLANATIONS: readonly [text: string, meaning: string][] = [
  ["file is not a database", "is not an SQLite database; it was left as it is"],
  ["database disk image is malformed", "is corrupt; restore it from a backup"],
  ["database is locked", "is locked by another process"],
  ["unable to open database", "cannot be opened; its folder must exist and be writable"],
  ["readonly database", "cannot be written to"],
  ["disk I/O error", "cannot be read or written: the disk is full, or it fails"],
  ["disk is full", "cannot be written to: the disk is full"],
];

function explain(error: unknown, path: string): StoreUnavailableError {
  const message = error instanceof Error ? error.message : String(error);
  const known = EXPLANATIONS.find(([text]) => message.includes(text));
  return new StoreUnavailableError(
    known ? `${path} ${known[1]}` : `${path} cannot be opened: ${message.replaceAll("\n", " ")}`,
    {
      cause: error,
    },
  );
}
