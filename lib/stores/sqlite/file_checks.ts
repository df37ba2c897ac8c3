/**
 * What must be true of a database's files before SQLite opens them. Nothing here closes a
 * descriptor of the database, because SQLite would lose its locks: see descriptors.ts.
 */

import { closeSync, existsSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { StoreUnavailableError } from "../store.ts";
import { descriptorOf, IS_WORKER } from "./descriptors.ts";
import { requireNoLogName } from "./file_names.ts";
import { requireNothingLeft } from "./remains.ts";
import { requireSingleName } from "./single_name.ts";

/** What a file is opened for. */
export type FileUse = "read" | "write";

/** Rejects files that SQLite would damage or wait for, before it opens them. The file need not exist. */
export function requireSafeFiles(givenPath: string, path: string, use: FileUse): void {
  // The log is looked at before the file: another process may be creating the database, and it
  // writes the file before the log.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const file = statSync(path, { throwIfNoEntry: false });
  requireUsable(givenPath, path, file, use);
  // SQLite treats a file of one byte as empty, and would overwrite it.
  if (file?.size === 1) {
    throw new StoreUnavailableError(`${givenPath} is not an SQLite database; it was left unchanged`);
  }
  // SQLite deletes a log whose database is missing or empty, with all the pets in it.
  if (log?.size && !file?.size) {
    throw new StoreUnavailableError(
      `${givenPath} is missing or empty, but its write-ahead log is there; restore the file, or remove the log`,
    );
  }
  if (log?.size && hasForeignLog(path)) {
    throw new StoreUnavailableError(
      `${givenPath} has the write-ahead log of another file beside it, as after a backup was copied over a database; ` +
        "put the backup in its place by petstore restore, which keeps a copy of both",
    );
  }
  if (file && file.size > MAX_FIRST_START_BYTES && hasJournalOfEmptyDatabase(path)) {
    throw new StoreUnavailableError(
      `${givenPath} has a rollback journal beside it that would empty it; if the file was restored, remove ${givenPath}-journal`,
    );
  }
  if (!file) requireNothingLeft(givenPath, path);
}

/** The largest file that a killed first start leaves: one page. A larger one beside its journal was put there later. */
const MAX_FIRST_START_BYTES = 4096;

/** The first byte of a database, in "SQLite format 3", and that of a rollback journal whose transaction has not ended. */
const DATABASE_MAGIC = 0x53;
const JOURNAL_MAGIC = 0xd9;

/**
 * Whether a file is a database beside the journal that a killed first start has left there. SQLite
 * would empty the file by it, also a backup that was copied there since. At offset 16, a journal
 * has the number of pages that the database had before
 * (https://www.sqlite.org/fileformat2.html, §3). A first transaction that was killed late leaves a
 * large file too, but one that begins with zeros.
 */
function hasJournalOfEmptyDatabase(path: string): boolean {
  const journal = `${path}-journal`;
  if (!statSync(journal, { throwIfNoEntry: false })?.isFile()) return false;
  const header = new DataView(new ArrayBuffer(20));
  const descriptor = openSync(journal, "r");
  try {
    readSync(descriptor, header);
  } finally {
    closeSync(descriptor);
  }
  if (header.getUint8(0) !== JOURNAL_MAGIC || header.getUint32(16) !== 0) return false;
  return IS_WORKER || byteOf(path, 0) === DATABASE_MAGIC;
}

/**
 * Where the header of a database has the version of its format, and the version of a file that has
 * no write-ahead log.
 */
const VERSION_AT = 18;
const VERSION_WITHOUT_LOG = 1;

/**
 * Whether the log beside a file belongs to another file: the file says in its header that it has no
 * log. Every file of a server says that it has a log, and a backup says that it has none. SQLite
 * would replay the log into a file of either kind (https://www.sqlite.org/fileformat2.html,
 * §1.3.3). A worker cannot look, so it takes the log for the file's own.
 */
function hasForeignLog(path: string): boolean {
  return !!statSync(`${path}-wal`, { throwIfNoEntry: false })?.size && existsSync(path) && saysWithoutLog(path);
}

/** Whether a file says in its header that it has no log. A worker cannot look. */
function saysWithoutLog(path: string): boolean {
  return !IS_WORKER && byteOf(path, VERSION_AT) === VERSION_WITHOUT_LOG;
}

function byteOf(path: string, position: number): number | undefined {
  const byte = new Uint8Array(1);
  readSync(descriptorOf(path), byte, 0, 1, position);
  return byte[0];
}

/**
 * Checks that SQLite can use a file.
 *
 * @param file What the system says of the file; undefined if it does not exist yet.
 * @param use A backup, which has no log, may have several names or a mount if it is only read.
 * @throws {StoreUnavailableError} If SQLite cannot use it.
 */
export function requireUsable(givenPath: string, path: string, file: Stats | undefined, use: FileUse): void {
  if (givenPath.endsWith("/")) throw new StoreUnavailableError(`${givenPath} is the name of a folder; name a file`);
  if (!file) return requireNoLogName(path);
  if (file.isDirectory()) throw new StoreUnavailableError(`${givenPath} is a folder`);
  // To open a named pipe, for example, would be to wait for a writer.
  if (!file.isFile()) throw new StoreUnavailableError(`${givenPath} is not a regular file`);
  if (use === "read" && !existsSync(`${path}-wal`) && saysWithoutLog(path)) return;
  requireSingleName(givenPath, path);
}
