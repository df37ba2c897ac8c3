/**
 * The names of a database's files: the file to which a path leads, the files that SQLite keeps
 * beside it, and those that commands leave there when they are killed, or on purpose.
 */

import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
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

/**
 * What follows the name of a database in the names that commands leave. `.7.tmp` is a file that a
 * command has not finished. The name with a time is that under which a restore keeps the file that
 * it replaces, or a log of it.
 */
const LEFT_END = /^(\.\d+\.tmp$|\.\d{4}-\d\d-\d\dT[\d-]+Z)/;

/** Makes a name for a file that this program is going to remove. */
export function unfinishedName(path: string): string {
  return `${path}.${Math.floor(Math.random() * 1e15)}.tmp`;
}

/**
 * Makes the name under which a restore keeps the file that it replaces. No file has this name, also
 * if the clock was set back.
 */
export function keptName(path: string): string {
  for (let time = Date.now();; time++) {
    const name = `${path}.${new Date(time).toISOString().replaceAll(/[:.]/g, "-")}`;
    if (endsOf(name).length === 0) return name;
  }
}

/** Finds the names that commands have left beside a database. A folder that cannot be read has none. */
function findLeftNames(path: string): string[] {
  const own = basename(path);
  try {
    const names = readdirSync(dirname(path));
    return names.filter((name) => name.startsWith(own) && LEFT_END.test(name.slice(own.length))).toSorted();
  } catch {
    return [];
  }
}

/**
 * Finds the names of the file of a database itself, beside its own, that it has if a program was
 * killed while it gave the file another name. No program opens the file by them.
 */
export function findSecondNames(path: string): string[] {
  const inodeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.ino;
  return findLeftNames(path).filter((name) => inodeOf(`${dirname(path)}/${name}`) === inodeOf(path));
}

/**
 * Checks that a database which does not exist may be made.
 *
 * @throws {StoreUnavailableError} If a restore or a backup has left a file beside it: the pets may
 * be in that file.
 */
export function requireNothingLeft(givenPath: string, path: string): void {
  const found = findLeftNames(path).at(-1);
  if (found === undefined) return;
  throw new StoreUnavailableError(
    `${givenPath} does not exist, but beside it is ${found}, of a restore or a backup; restore a backup, or move this ` +
      "file away to begin anew",
  );
}
