/** Opens an SQLite file. Before anything is written, it checks who made the file, its version and its condition. */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./errors.ts";
import { DatabaseFiles, followLinks, inspectFiles } from "./file.ts";
import { migrate, requireKnownSchema, rollback } from "./schema.ts";
import { StoreUnavailableError } from "../store.ts";

/** The path of a database without a file. */
const IN_MEMORY = ":memory:";

/** How long SQLite waits for a lock of another process, in milliseconds. It is short, because the event loop waits too. */
export const BUSY_TIMEOUT = 1000;

/** Sets how long SQLite waits for a lock. Node before 22.16 ignores the option `timeout`; so does Deno when read-only. */
export function setBusyTimeout(db: DatabaseSync, milliseconds: number): void {
  db.exec(`PRAGMA busy_timeout = ${milliseconds}`);
}

/** A database that is ready for use. */
export interface OpenDatabase {
  db: DatabaseSync;
  /** Undefined for a database in memory. */
  files: DatabaseFiles | undefined;
}

/**
 * Opens a database for reading and writing, and updates its schema.
 *
 * @throws {StoreUnavailableError} If the file cannot be used. It is then unchanged.
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

/** SQLite opens a file without write permission as read-only, and reports that only on the first write. */
function requireWritable(db: DatabaseSync): void {
  setBusyTimeout(db, 0);
  try {
    // BEGIN IMMEDIATE alone succeeds on a read-only file, as a plain BEGIN.
    db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK`);
  } catch (error) {
    rollback(db);
    // Another process is writing to it, so it is writable.
    if (!isBusy(error)) throw error;
  }
  setBusyTimeout(db, BUSY_TIMEOUT);
}

/**
 * Checks the file over a read-only connection. If a killed process has left a rollback journal, for example during a first
 * start, the connection must be writable, because SQLite has to roll the journal back before it can read.
 */
function inspect(path: string, file: string): void {
  const db = new DatabaseSync(file, { readOnly: !existsSync(`${file}-journal`) });
  try {
    setBusyTimeout(db, BUSY_TIMEOUT);
    db.exec("BEGIN");
    requireKnownSchema(db, path);
  } finally {
    db.close();
  }
}

function configure(db: DatabaseSync, path: string): void {
  setBusyTimeout(db, BUSY_TIMEOUT);
  const mode = setWal(db);
  if (mode !== "wal" && path !== IN_MEMORY) {
    throw new StoreUnavailableError(`${path} cannot use a write-ahead log; is it on a network file system?`);
  }
  // FULL: a commit returns when the log is on disk. With NORMAL, a loss of power could undo an acknowledged create.
  // The rest is for macOS, where fsync() leaves data in the cache of the disk.
  db.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
}

/** Switches to a write-ahead log. SQLite ignores the busy timeout here, and another process may be doing the same. */
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

/** SQLite's messages and what to tell the operator. They come from `sqlite3_errstr()`, the same on each runtime. */
const EXPLANATIONS: readonly [text: string, meaning: string][] = [
  ["file is not a database", "is not an SQLite database; it was left unchanged"],
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
  // Deno's own message suggests a flag of `deno run`, which does not suit a program that is started by another command.
  const meaning = name === "NotCapable" ? "cannot be opened: the program lacks Deno's permission for it" : known;
  return new StoreUnavailableError(
    `${path} ${meaning ?? `cannot be opened: ${message.replaceAll("\n", " ")}`}`,
    { cause: error },
  );
}
