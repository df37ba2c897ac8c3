/**
 * What must be true of a database's files before SQLite opens them, and while it has them open. Nothing here closes a descriptor of the
 * database, as `fs.watch` would on Deno: see descriptors.ts.
 */

import {
  type BigIntStats,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import { StoreUnavailableError } from "../store.ts";
import { descriptorOf, IS_WORKER } from "./descriptors.ts";
import { isMounted } from "./mount.ts";
import { countUnfinishedNames, requireRestored } from "./remains.ts";

export const COMPANIONS = ["-wal", "-shm", "-journal"] as const;

/** @throws {StoreUnavailableError} If SQLite would take the file for a log, or replay a log beside it. */
export function requireOwnName(path: string): void {
  requireNoLogName(path);
  for (const end of COMPANIONS) {
    if (existsSync(path + end)) {
      throw new StoreUnavailableError(
        `${path}${end} would be taken for a log of ${path}; remove it, or choose another name`,
      );
    }
  }
}

/** SQLite deletes such a file as soon as the database of the name before it is opened. */
function requireNoLogName(path: string): void {
  const end = COMPANIONS.find((each) => path.endsWith(each));
  if (end === undefined) return;
  throw new StoreUnavailableError(`SQLite keeps the log of a database in a file named …${end}; choose another name`);
}

/** How many links are followed, as on Linux. More of them are a circle. */
const MAX_LINKS = 40;

/** The file need not exist yet. SQLite puts its log beside the target of symbolic links. */
export function followLinks(path: string): string {
  let file = resolveFolder(path);
  for (let links = 0; links <= MAX_LINKS; links++) {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
    const target = readlinkSync(file);
    file = resolveFolder(isAbsolute(target) ? target : `${dirname(file)}/${target}`);
  }
  throw new StoreUnavailableError(`${path} is a symbolic link that leads to itself`);
}

/** The system resolves the folder, because `..` after a link is relative to its target. */
function resolveFolder(path: string): string {
  try {
    return join(realpathSync.native(dirname(path)), basename(path));
  } catch {
    return resolve(path);
  }
}

type Identity = { dev: bigint; ino: bigint };

export interface OpenedFiles {
  givenPath: string;
  path: string;
  identities: readonly [name: string, identity: Identity][];
}

export interface OpenDatabase {
  db: DatabaseSync;
  files: OpenedFiles | undefined;
  isNew: boolean;
}

/** SQLite must have opened the database and its log. */
export function identifyFiles(givenPath: string, path: string): OpenedFiles {
  // The given path is watched too: if a link in it changes, the next start opens another file.
  const absolute = isAbsolute(givenPath) ? givenPath : `${process.cwd()}/${givenPath}`;
  const names = new Set([path, `${path}-wal`, `${path}-shm`, absolute]);
  return { givenPath, path, identities: [...names].map((name) => [name, identify(givenPath, name)]) };
}

/** @throws {StoreUnavailableError} If a file has been deleted, moved or replaced: new pets would be lost. */
export function requireInPlace({ givenPath, identities }: Pick<OpenedFiles, "givenPath" | "identities">): void {
  for (const [name, { dev, ino }] of identities) {
    const now = identify(givenPath, name);
    if (now.dev !== dev || now.ino !== ino) refuse(givenPath);
  }
}

export function identify(givenPath: string, name: string): Identity {
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(name, { bigint: true, throwIfNoEntry: false });
  } catch (cause) {
    throw new StoreUnavailableError(`Cannot check whether ${givenPath} is still in its place`, { cause });
  }
  if (stats === undefined) refuse(givenPath);
  return { dev: stats.dev, ino: stats.ino };
}

function refuse(givenPath: string): never {
  throw new StoreUnavailableError(
    `${givenPath} or a file beside it has been deleted, moved or replaced; restart with the right file`,
  );
}

/** Rejects files that SQLite would damage or wait for, before it opens them. Returns whether the file exists. */
export function inspectFiles(givenPath: string, path: string): boolean {
  requireRestored(givenPath, path);
  // The log first: another process may be creating the database, and it writes the file before the log.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const file = statSync(path, { throwIfNoEntry: false });
  requireRegular(givenPath, path, file);
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
  if (file && file.size > MAX_FIRST_START && findJournal(path) === "of an empty database") {
    throw new StoreUnavailableError(
      `${givenPath} has a rollback journal beside it that would empty it; if the file was restored, remove ${givenPath}-journal`,
    );
  }
  return file !== undefined;
}

/**
 * Whether a file has a log beside it, but says in its header that it has none. Every file of a server says that it has a log, and a backup
 * says that it has none. SQLite would replay the log into a file of either kind (https://www.sqlite.org/fileformat2.html, §1.3.3). A worker
 * cannot look, so it takes the log for the file's own.
 */
export function hasForeignLog(path: string): boolean {
  if (IS_WORKER || !statSync(`${path}-wal`, { throwIfNoEntry: false })?.size || !existsSync(path)) return false;
  const version = new Uint8Array(1);
  readSync(descriptorOf(path), version, 0, 1, VERSION_AT);
  return version[0] === VERSION_WITHOUT_LOG;
}

/** Where the header of a database has the version of its format, and the version of a file that has no write-ahead log. */
const VERSION_AT = 18, VERSION_WITHOUT_LOG = 1;

/** @throws {StoreUnavailableError} If SQLite cannot use the file. A named pipe would wait for a writer. */
export function requireRegular(givenPath: string, path: string, file: Stats | undefined): void {
  if (givenPath.endsWith("/")) throw new StoreUnavailableError(`${givenPath} is the name of a folder; name a file`);
  if (!file) requireNoLogName(path);
  if (file?.isDirectory()) throw new StoreUnavailableError(`${givenPath} is a folder`);
  if (file && !file.isFile()) throw new StoreUnavailableError(`${givenPath} is not a regular file`);
  if (!file) return;
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

/** Names of files that are unfinished do not count: no program opens the file by them. */
function hasOtherNames(path: string): boolean {
  const countOthers = () => {
    const { nlink, ino } = statSync(path);
    return nlink === 1 ? 0 : nlink - 1 - countUnfinishedNames(path, ino);
  };
  // The names are counted twice, because another start may remove such a name between the two counts.
  return countOthers() > 0 && countOthers() > 0;
}

/** The largest file that a killed first start leaves, in bytes: one page. A larger file beside its journal was put there later. */
const MAX_FIRST_START = 4096;

/**
 * Says what the rollback journal beside a file would restore. It is `none` too if the journal begins with zeros, because its transaction has
 * ended. It is `of an empty database` after a killed first start: SQLite would empty the file by it, also one that was restored since.
 */
export function findJournal(path: string): "none" | "of an empty database" | "of pages" {
  const journal = `${path}-journal`;
  if (!statSync(journal, { throwIfNoEntry: false })?.isFile()) return "none";
  const header = new DataView(new ArrayBuffer(28));
  const descriptor = openSync(journal, "r");
  try {
    const size = readSync(descriptor, header);
    if (header.getUint8(0) === 0) return "none";
    // SQLite's file format, §3: at offset 16, the number of pages of the database.
    const isWhole = size === header.byteLength && header.getUint32(0) === 0xd9d505f9;
    return isWhole && header.getUint32(16) === 0 ? "of an empty database" : "of pages";
  } finally {
    closeSync(descriptor);
  }
}
