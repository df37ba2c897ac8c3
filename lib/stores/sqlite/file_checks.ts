/**
 * What must be true of a database's files before SQLite opens them. Nothing here closes a
 * descriptor of the database, because SQLite would lose its locks: see `descriptorOf()`.
 */

import { closeSync, existsSync, linkSync, openSync, readSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreUnavailableError } from "../store.ts";
import { descriptorOf, IS_WORKER } from "./opened_files.ts";
import { findSecondNames, requireNoLogName, requireNothingLeft, unfinishedName } from "./file_names.ts";
import { pauseThread } from "./transaction.ts";
import { mayAccess } from "./permissions.ts";

/** What a file is opened for. */
export type FileUse = "read" | "write";

/** Rejects files that SQLite would damage or wait for, before it opens them. The file need not exist. */
export function requireSafeFiles(givenPath: string, path: string, use: FileUse): void {
  // The log is looked at before the file: another process may be creating the database, and it
  // writes the file before the log.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const file = statSync(path, { throwIfNoEntry: false });
  requireUsable(givenPath, path, file, use);
  // SQLite deletes a log whose database is missing or empty, with all the pets in it. It takes a
  // file of one byte, as `echo >` makes it, for an empty one.
  if (log?.size && (file?.size ?? 0) <= 1) {
    throw new StoreUnavailableError(
      `${givenPath} is missing or empty, but its write-ahead log is there; restore the file, or remove the log`,
    );
  }
  if (log?.size && saysWithoutLog(path)) {
    // SQLite would replay the log into the file.
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

/** The first byte of a rollback journal whose transaction has not ended. */
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
  if (!existsSync(journal)) return false;
  const header = new DataView(new ArrayBuffer(20));
  const descriptor = openSync(journal, "r");
  try {
    readSync(descriptor, header);
  } finally {
    closeSync(descriptor);
  }
  if (header.getUint8(0) !== JOURNAL_MAGIC || header.getUint32(16) !== 0) return false;
  return byteOf(path, 0) !== 0;
}

/**
 * Where the header of a database has the version of its format, and the version of a file that has
 * no write-ahead log.
 */
const VERSION_AT = 18;
const VERSION_WITHOUT_LOG = 1;

/**
 * Whether a file says in its header that it has no log, as a backup does. Every file of a server
 * says that it has one (https://www.sqlite.org/fileformat2.html, §1.3.3). A worker cannot look, so
 * it takes a log beside the file for the file's own.
 */
function saysWithoutLog(path: string): boolean {
  return byteOf(path, VERSION_AT) === VERSION_WITHOUT_LOG;
}

/** Reads a byte of a database. The result is undefined in a worker, which cannot look. */
function byteOf(path: string, position: number): number | undefined {
  if (IS_WORKER) return undefined;
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

/**
 * How often the names of a file are counted before it is refused. Other starts give it further
 * names for moments: see {@link isMounted}.
 */
const MAX_COUNTS = 20;

/**
 * The longest pause between two counts, in milliseconds. It is random, so that the counts do not
 * keep step with other starts.
 */
const MAX_PAUSE_MS = 20;

/**
 * A database must have a single name, because SQLite keeps the log beside the name by which it
 * opens the file. With two names, two servers have two logs for one file. A second name is a hard
 * link, or a mount of the file itself, as `docker -v ./pets.db:/data/pets.db` and a `subPath` of
 * Kubernetes make it: then the log is in the folder of one container, and a new container has a
 * file without its log.
 *
 * @param path The path of a file that exists, without symbolic links.
 * @throws {StoreUnavailableError} If the file has a second name.
 */
function requireSingleName(givenPath: string, path: string): void {
  // The names that commands have left do not count, because no program opens the file by them.
  for (let counts = 1; statSync(path).nlink - 1 > findSecondNames(path).length; counts++) {
    if (counts === MAX_COUNTS) {
      throw new StoreUnavailableError(
        `${givenPath} is a file with several names (hard links); replace the others with symbolic links`,
      );
    }
    pauseThread(Math.random() * MAX_PAUSE_MS);
  }
  if (isMounted(path)) {
    throw new StoreUnavailableError(
      `${givenPath} is mounted by itself, so its log would be lost with this container; mount its folder instead`,
    );
  }
}

/**
 * A link within a folder tells: the system refuses one that leads from one mount to another, also
 * on one file system, as the mount of a file may be. Only where no link can be made, such as in a
 * folder that cannot be written to, the devices are compared. They do not tell as much, because the
 * file of an overlay's lower layer may have another device than its folder, as in an image that is
 * fetched lazily.
 */
function isMounted(path: string): boolean {
  const folder = dirname(path);
  const hasOtherDevice = () => statSync(path).dev !== statSync(folder).dev;
  if (!mayAccess("read", folder) || !mayAccess("write", folder)) return hasOtherDevice();
  const name = unfinishedName(path);
  try {
    linkSync(path, name);
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === "EXDEV" || hasOtherDevice();
  } finally {
    rmSync(name, { force: true });
  }
}
