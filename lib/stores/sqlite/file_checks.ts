/**
 * What must be true of a database's files before SQLite opens them. Nothing here closes a descriptor of the database, because SQLite would lose
 * its locks: see descriptors.ts.
 */

import { closeSync, existsSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { StoreUnavailableError } from "../store.ts";
import { descriptorOf, IS_WORKER } from "./descriptors.ts";
import { requireNoLogName } from "./file_names.ts";
import { isMounted } from "./mount.ts";
import { pauseThread } from "./pause.ts";
import { findSecondNames, requireNothingLeft } from "./remains.ts";

/**
 * Rejects files that SQLite would damage or wait for, before it opens them. Returns whether the file exists.
 *
 * @param isOnlyRead Whether the file is not going to be written to.
 */
export function inspectFiles(givenPath: string, path: string, isOnlyRead = false): boolean {
  // The log is looked at before the file: another process may be creating the database, and it writes the file before the log.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const file = statSync(path, { throwIfNoEntry: false });
  requireUsable(givenPath, path, file, isOnlyRead);
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
  if (file && file.size > MAX_FIRST_START_BYTES && findJournal(path) === "of an empty database") {
    throw new StoreUnavailableError(
      `${givenPath} has a rollback journal beside it that would empty it; if the file was restored, remove ${givenPath}-journal`,
    );
  }
  if (!file) requireNothingLeft(givenPath, path);
  return file !== undefined;
}

/** The largest file that a killed first start leaves: one page. A larger file beside its journal was put there later. */
const MAX_FIRST_START_BYTES = 4096;

/** Where the header of a database has the version of its format, and the version of a file that has no write-ahead log. */
const VERSION_AT = 18;
const VERSION_WITHOUT_LOG = 1;

/**
 * Whether the log beside a file belongs to another file: the file says in its header that it has no log. Every file of a server says that
 * it has a log, and a backup says that it has none. SQLite would replay the log into a file of either kind
 * (https://www.sqlite.org/fileformat2.html, §1.3.3). A worker cannot look, so it takes the log for the file's own.
 */
function hasForeignLog(path: string): boolean {
  return !!statSync(`${path}-wal`, { throwIfNoEntry: false })?.size && existsSync(path) && saysWithoutLog(path);
}

/** Whether a file says in its header that it has no log. A worker cannot look. */
function saysWithoutLog(path: string): boolean {
  if (IS_WORKER) return false;
  const version = new Uint8Array(1);
  readSync(descriptorOf(path), version, 0, 1, VERSION_AT);
  return version[0] === VERSION_WITHOUT_LOG;
}

/**
 * Checks that SQLite can use a file.
 *
 * @param file What the system says of the file; undefined if it does not exist yet.
 * @param isOnlyRead Whether the file is not going to be written to. A backup, which has no log, may then have several names or a mount.
 * @throws {StoreUnavailableError} If SQLite cannot use it.
 */
export function requireUsable(givenPath: string, path: string, file: Stats | undefined, isOnlyRead = false): void {
  if (givenPath.endsWith("/")) throw new StoreUnavailableError(`${givenPath} is the name of a folder; name a file`);
  if (!file) return requireNoLogName(path);
  if (file.isDirectory()) throw new StoreUnavailableError(`${givenPath} is a folder`);
  // To open a named pipe, for example, would be to wait for a writer.
  if (!file.isFile()) throw new StoreUnavailableError(`${givenPath} is not a regular file`);
  if (isOnlyRead && !existsSync(`${path}-wal`) && saysWithoutLog(path)) return;
  // SQLite would create a separate log for each name.
  if (hasOtherNames(path)) {
    throw new StoreUnavailableError(
      `${givenPath} is a file with several names (hard links); replace the others with symbolic links`,
    );
  }
  if (isMounted(path)) {
    throw new StoreUnavailableError(
      `${givenPath} is mounted by itself, so its log would be lost with this container; mount its folder instead`,
    );
  }
}

/**
 * How many counts of a file's names must agree. Every start of a program gives the file another name for a moment (see mount.ts), which may
 * come or go during a count.
 */
const AGREEING_COUNTS = 20;

/** Whether a file has several names. Those that a command has not finished do not count, because no program opens the file by them. */
function hasOtherNames(path: string): boolean {
  let hasOthers = false;
  for (let agreeing = 0; agreeing < AGREEING_COUNTS; agreeing++) {
    const { nlink } = statSync(path);
    if (nlink === 1) return false;
    const countsOthers: boolean = nlink - 1 > findSecondNames(path).length;
    if (countsOthers !== hasOthers) agreeing = 0;
    hasOthers = countsOthers;
    // Without a pause, the counts could keep step with another program.
    pauseThread(Math.random() * 2);
  }
  return hasOthers;
}

/** The first four bytes of a rollback journal. */
const JOURNAL_MAGIC = 0xd9d505f9;

/**
 * Says what the rollback journal beside a file would restore:
 *
 * - `none`: there is no journal, or it begins with zeros, because its transaction has ended.
 * - `of an empty database`: a first start was killed. SQLite would empty the file by the journal, also a file that was restored since.
 * - `of pages`: the transaction of another journal has not ended.
 */
export function findJournal(path: string): "none" | "of an empty database" | "of pages" {
  const journal = `${path}-journal`;
  if (!statSync(journal, { throwIfNoEntry: false })?.isFile()) return "none";
  const header = new DataView(new ArrayBuffer(28));
  const descriptor = openSync(journal, "r");
  try {
    const size = readSync(descriptor, header);
    if (header.getUint8(0) === 0) return "none";
    const isWhole = size === header.byteLength && header.getUint32(0) === JOURNAL_MAGIC;
    // At offset 16, the header has the number of pages that the database had before (SQLite's file format, §3).
    return isWhole && header.getUint32(16) === 0 ? "of an empty database" : "of pages";
  } finally {
    closeSync(descriptor);
  }
}
