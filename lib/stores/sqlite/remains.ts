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
const KEPT = /^\.\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** The ends of names of files that a command has not finished: a database, that copy, or the mark. */
const UNFINISHED = /^(\.[\dT-]+Z|-restoring)?\.\d+\.tmp$/;

/** A name for a file that this program is going to remove. After a kill, {@link findUnfinished} finds it. */
export function unfinishedName(path: string): string {
  return `${path}.${Math.floor(Math.random() * 1e15)}.tmp`;
}

export function findUnfinished(path: string): string[] {
  return findBeside(path, (end) => UNFINISHED.test(end));
}

/**
 * Counts the temporary names that a file has kept, because a program was killed while the file got its own name. No
 * program opens it by these.
 */
export function countUnfinishedNames(path: string, ino: number): number {
  const inodeOf = (name: string) => statSync(`${dirname(path)}/${name}`, { throwIfNoEntry: false })?.ino;
  return findUnfinished(path).filter((name) => inodeOf(name) === ino).length;
}

export function describeMissing(givenPath: string, path: string): string {
  const found = findBeside(path, (end) => UNFINISHED.test(end) || KEPT.test(end)).at(-1);
  const missing = `${givenPath} does not exist`;
  if (found === undefined) return missing;
  return `${missing}, but beside it is ${found}, of a restore or a backup; restore a backup, or move this file away to begin anew`;
}

function findBeside(path: string, isMeant: (end: string) => boolean): string[] {
  const own = basename(path);
  try {
    return readdirSync(dirname(path)).filter((name) => name.startsWith(own) && isMeant(name.slice(own.length)))
      .toSorted();
  } catch {
    return [];
  }
}
