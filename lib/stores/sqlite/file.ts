/**
 * Where a database is, and whether its files are still the ones that were opened.
 *
 * Everything here looks at names alone. To open one of these files and close it again, as even `fs.watch` does on Deno,
 * would release the locks that SQLite holds on it: on POSIX systems the locks of a process on a file all go with the first
 * descriptor that is closed. The next program to close the database would then delete a log that is in use.
 */

import {
  type BigIntStats,
  closeSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import { StoreUnavailableError } from "../store.ts";

/** Links may lead to links, but not in a circle. As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * The path of the file itself, which a link may lead to and which need not exist yet: SQLite puts the log beside that.
 *
 * @throws {StoreUnavailableError} If the links lead nowhere.
 */
export function followLinks(path: string): string {
  let file = inRealFolder(path);
  for (let links = 0; links <= MOST_LINKS; links++) {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
    const target = readlinkSync(file);
    file = inRealFolder(isAbsolute(target) ? target : `${dirname(file)}/${target}`);
  }
  throw new StoreUnavailableError(`${path} is a symbolic link that leads to itself`);
}

/** The path without links in its folder. `..` behind a link leads elsewhere than the path's text says: the system knows. */
function inRealFolder(path: string): string {
  try {
    return join(realpathSync.native(dirname(path)), basename(path));
  } catch {
    // The folder is not there, or may not be looked at: whoever opens the file will be told.
    return resolve(path);
  }
}

/** Which file has a name: its device and its number there. */
type Identity = { dev: bigint; ino: bigint };

/** The files of an open database. */
export class DatabaseFiles {
  readonly #given: string;
  readonly #opened: readonly [path: string, identity: Identity][];

  /**
   * @param given The path that the store was opened with.
   * @param path What {@link followLinks} gave for it. SQLite has opened the database and its log.
   */
  constructor(given: string, path: string) {
    this.#given = given;
    // The given path too: a link that leads to another file now is where the next start will look.
    const absolute = isAbsolute(given) ? given : `${process.cwd()}/${given}`;
    const names = new Set([path, `${path}-wal`, `${path}-shm`, absolute]);
    this.#opened = [...names].map((name) => [name, this.#identify(name)]);
  }

  /**
   * What is written is lost if the database or its log has been deleted, moved or replaced, or the folder that they are
   * in: whoever opens the path next does not find it.
   *
   * @throws {StoreUnavailableError} If so.
   */
  requireInPlace(): void {
    for (const [name, { dev, ino }] of this.#opened) {
      const now = this.#identify(name);
      if (now.dev !== dev || now.ino !== ino) this.#refuse();
    }
  }

  #identify(name: string): Identity {
    let found: BigIntStats | undefined;
    try {
      found = statSync(name, { bigint: true, throwIfNoEntry: false });
    } catch (cause) {
      // A program that has given up its permission to read cannot know, and must not guess.
      throw new StoreUnavailableError(`It cannot be seen whether ${this.#given} is still in its place`, { cause });
    }
    return found ?? this.#refuse();
  }

  #refuse(): never {
    throw new StoreUnavailableError(
      `${this.#given} or a file beside it has been deleted, moved or replaced; restart with the right one`,
    );
  }
}

/**
 * Refuses what SQLite must not be let near.
 *
 * @param given As the caller wrote it, for the message.
 * @param path What {@link followLinks} gave for it.
 * @returns Whether there is a file.
 * @throws {StoreUnavailableError} If it can be no database, or if its log would be lost.
 */
export function inspectFiles(given: string, path: string): boolean {
  // The log is looked at first: whoever makes a database writes to the file before there is a log.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isDirectory()) throw new StoreUnavailableError(`${given} is a folder`);
  // To open a named pipe waits for whoever writes to it.
  if (file && !file.isFile()) throw new StoreUnavailableError(`${given} is not a regular file`);
  // Each of its names would get a log of its own.
  if (file && file.nlink > 1) {
    throw new StoreUnavailableError(
      `${given} is a file with several names (hard links); make a symbolic link of the others`,
    );
  }
  // SQLite takes a file of one byte for an empty one, and would overwrite it.
  if (file?.size === 1) throw new StoreUnavailableError(`${given} is not an SQLite database; it was left as it is`);
  // A log without its file, or beside an empty one, SQLite takes for a left-over: it deletes it, with all that it holds.
  if (log?.size && !file?.size) {
    throw new StoreUnavailableError(
      `${given} is missing or empty, but its write-ahead log is there; put the file back, or take the log away`,
    );
  }
  if (file && file.size > MOST_OF_A_START && isOfEmptyDatabase(`${path}-journal`)) {
    throw new StoreUnavailableError(
      `${given} has a rollback journal beside it that would empty it; take ${given}-journal away if the file was restored`,
    );
  }
  return file !== undefined;
}

/** SQLite writes no more than a page of its usual size before it has a write-ahead log. */
const MOST_OF_A_START = 4096;

/**
 * Whether a rollback journal was begun on an empty database: a start that was killed leaves one. To play it back makes the
 * file empty again, which must not be one that was restored meanwhile. Nobody locks a journal, so it may be opened.
 */
function isOfEmptyDatabase(journal: string): boolean {
  if (!statSync(journal, { throwIfNoEntry: false })?.isFile()) return false;
  const header = new DataView(new ArrayBuffer(28));
  const descriptor = openSync(journal, "r");
  try {
    // SQLite's file format, §3: eight bytes of magic, and at 16 the pages that the database had.
    return readSync(descriptor, header) === header.byteLength && header.getUint32(0) === 0xd9d505f9 &&
      header.getUint32(16) === 0;
  } finally {
    closeSync(descriptor);
  }
}
