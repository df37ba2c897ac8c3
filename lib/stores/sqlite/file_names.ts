/** The names of a database's files, and the file to which a path leads. */

import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { StoreUnavailableError } from "../store.ts";

/** The ends of the names of the files that SQLite keeps beside a database. */
export const COMPANION_ENDS = ["-wal", "-shm", "-journal"] as const;

/**
 * The ends of the names of a database's files, as far as they exist: "" of the file itself, and
 * those of its log, such as "-wal".
 */
export function endsOf(path: string): string[] {
  return ["", ...COMPANION_ENDS].filter((end) => existsSync(path + end));
}

/**
 * Checks the name of a file that will be a new database.
 *
 * @throws {StoreUnavailableError} If SQLite would take the file for a log, or replay a log beside
 * it.
 */
export function requireOwnName(path: string): void {
  requireNoLogName(path);
  for (const end of COMPANION_ENDS) {
    if (existsSync(path + end)) {
      throw new StoreUnavailableError(
        `${path}${end} would be taken for a log of ${path}; remove it, or choose another name`,
      );
    }
  }
}

/**
 * Refuses the names of logs: SQLite deletes such a file as soon as a database is opened that has
 * the name without the end.
 */
export function requireNoLogName(path: string): void {
  const end = COMPANION_ENDS.find((each) => path.endsWith(each));
  if (end === undefined) return;
  throw new StoreUnavailableError(`SQLite keeps the log of a database in a file named …${end}; choose another name`);
}

/**
 * Returns the path of the file itself, because SQLite puts the log of a database beside the target
 * of symbolic links. The file need not exist yet.
 */
export function followLinks(path: string): string {
  return namesOnTheWay(path).at(-1)!;
}

/** How many links are followed, as on Linux. More of them are a circle. */
const MAX_LINKS = 40;

/**
 * The absolute paths on the way to a file: that of each symbolic link which leads to it, in order,
 * and last that of the file itself.
 */
export function namesOnTheWay(path: string): string[] {
  const names = [resolveFolder(path)];
  while (names.length <= MAX_LINKS + 1) {
    const name = names.at(-1)!;
    if (!lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) return names;
    const target = readlinkSync(name);
    names.push(resolveFolder(isAbsolute(target) ? target : `${dirname(name)}/${target}`));
  }
  throw new StoreUnavailableError(`${path} is a symbolic link that leads to itself`);
}

/**
 * Makes a path absolute. The system resolves the links in its folder, because `..` after a link is
 * relative to the target of the link.
 */
export function resolveFolder(path: string): string {
  try {
    return join(realpathSync.native(dirname(path)), basename(path));
  } catch {
    // The system cannot resolve the folder, for example because it does not exist.
    return resolve(path);
  }
}
