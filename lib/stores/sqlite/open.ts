/** Opening an SQLite file: whose is it, which version has it, and is it fit for use? Nothing is written before that is known. */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./errors.ts";
import { DatabaseFiles, followLinks, inspectFiles } from "./file.ts";
import { migrate, requireKnownSchema, rollback } from "./schema.ts";
import { StoreUnavailableError } from "../store.ts";

/** The path of a database that is in no file. */
const IN_MEMORY = ":memory:";

/** How long SQLite waits for another process's lock, in milliseconds. The event loop waits too, so not for long. */
export const BUSY_TIMEOUT = 1000;

/** A database that is fit for use. */
export interface OpenDatabase {
  db: DatabaseSync;
  /** Its files; none of a database in memory. */
  files: DatabaseFiles | undefined;
}

/**
 * Opens a database for reading and writing and brings its schema up to date.
 *
 * @throws {StoreUnavailableError} If the file cannot be used; it is then as it was before.
 */
export function openDatabase(path: string): OpenDatabase {
  let db: DatabaseSync | undefined;
  try {
    const file = path === IN_MEMORY ? IN_MEMORY : followLinks(path);
    if (file !== IN_MEMORY && inspectFiles(path, file)) inspect(path, file);
    db = new DatabaseSync(file);
    configure(db, path);
    migrate(db, path);
    requireWritable(db);
    return { db, files: file === IN_MEMORY ? undefined : new DatabaseFiles(path, file) };
  } catch (error) {
    db?.close();
    throw error instanceof StoreUnavailableError ? error : explain(error, path);
  }
}

/** SQLite opens a file that it may not write for reading alone, and tells only the first who writes. */
function requireWritable(db: DatabaseSync): void {
  db.exec("PRAGMA busy_timeout = 0");
  try {
    // Not BEGIN IMMEDIATE alone: where nothing can be written, SQLite makes a BEGIN of it.
    db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK`);
  } catch (error) {
    rollback(db);
    // Another process writes to it just now, so it can be written to.
    if (!isBusy(error)) throw error;
  }
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
}

/**
 * Reads what the file says of itself over a connection that could not change it. Only where a process was killed and has
 * left a rollback journal, as in the middle of a first start, must the file be put right before it can be read.
 */
function inspect(path: string, file: string): void {
  const db = new DatabaseSync(file, { readOnly: !existsSync(`${file}-journal`) });
  try {
    // Not the option `timeout`: Deno heeds it only where it may write.
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; BEGIN`);
    requireKnownSchema(db, path);
  } finally {
    db.close();
  }
}

function configure(db: DatabaseSync, path: string): void {
  // Not the option `timeout`, which Node before 22.16 ignores.
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  const mode = setWal(db);
  if (mode !== "wal" && path !== IN_MEMORY) {
    throw new StoreUnavailableError(`${path} cannot use a write-ahead log; is it on a network file system?`);
  }
  // FULL: a commit returns when the log is on disk. NORMAL would acknowledge pets that a loss of power takes back.
  // The rest is for macOS, whose fsync() leaves what was written in the disk's cache.
  db.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
}

/** Switches to a write-ahead log. That does not heed the busy timeout, and another process may be doing the same. */
function setWal(db: DatabaseSync): unknown {
  const deadline = performance.now() + BUSY_TIMEOUT;
  for (;;) {
    try {
      return db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
    } catch (error) {
      if (performance.now() > deadline || !String(error).includes("locked")) throw error;
    }
  }
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
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const known = EXPLANATIONS.find(([text]) => message.includes(text))?.[1];
  // Deno's message gives advice that is right for a program that one starts oneself, and for no other.
  const meaning = name === "NotCapable" ? "cannot be opened: the program lacks Deno's permission for it" : known;
  return new StoreUnavailableError(
    `${path} ${meaning ?? `cannot be opened: ${message.replaceAll("\n", " ")}`}`,
    { cause: error },
  );
}
