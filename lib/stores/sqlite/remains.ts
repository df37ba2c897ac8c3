/** The files that commands leave beside a database when they are killed, or on purpose: their names, and how a later start finds them. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { StoreUnavailableError } from "../store.ts";

/**
 * The end of the name of the mark that a restore puts beside a database while it replaces the database and its log. No program may open the
 * database as long as the mark is there, because the two may not belong together.
 */
export const RESTORE_MARK = "-restoring";

/** @throws {StoreUnavailableError} If a restore has not ended since it began to remove a log. */
export function requireRestored(givenPath: string, path: string): void {
  if (!existsSync(path + RESTORE_MARK)) return;
  throw new StoreUnavailableError(
    `A restore of ${givenPath} was cut short, so the file and its log may not belong together; repeat it by petstore restore ` +
      "<backup>",
  );
}

/** The end of the name under which a restore keeps the file that it replaces. */
const KEPT_END = /^\.\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** The end of the name of a file that a command has not finished: a database, a file that a restore keeps, or the mark of a restore. */
const UNFINISHED_END = /^(\.[\dT-]+Z|-restoring)?\.\d+\.tmp$/;

/** Makes a name for a file that this program is going to remove. After a kill, {@link findUnfinished} finds the file. */
export function unfinishedName(path: string): string {
  return `${path}.${Math.floor(Math.random() * 1e15)}.tmp`;
}

/** Finds the names of the files beside a database that a command has not finished. */
export function findUnfinished(path: string): string[] {
  return findBeside(path, (end) => UNFINISHED_END.test(end));
}

/**
 * Counts the unfinished names that lead to the file of a database itself. It has kept them if a program was killed while the file got its
 * own name. No program opens the file by them.
 */
export function countUnfinishedNames(path: string, ino: number): number {
  const inodeOf = (name: string) => statSync(`${dirname(path)}/${name}`, { throwIfNoEntry: false })?.ino;
  return findUnfinished(path).filter((name) => inodeOf(name) === ino).length;
}

/** Finds the name of a file that a restore or a backup has left beside a database. It is undefined if there is none. */
export function findLeftFile(path: string): string | undefined {
  return findBeside(path, (end) => UNFINISHED_END.test(end) || KEPT_END.test(end)).at(-1);
}

/** Says that a database does not exist, and names a file of it that a command has left. */
export function describeMissing(givenPath: string, path: string): string {
  const found = findLeftFile(path);
  const missing = `${givenPath} does not exist`;
  if (found === undefined) return missing;
  return `${missing}, but beside it is ${found}, of a restore or a backup; restore a backup, or move this file away to begin anew`;
}

/** Finds the names that begin with the name of a database and have a certain end. A folder that cannot be read has none. */
function findBeside(path: string, hasEnd: (end: string) => boolean): string[] {
  const own = basename(path);
  try {
    const names = readdirSync(dirname(path));
    return names.filter((name) => name.startsWith(own) && hasEnd(name.slice(own.length))).toSorted();
  } catch {
    return [];
  }
}
