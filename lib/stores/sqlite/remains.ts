/**
 * The files that commands leave beside a database when they are killed, or on purpose: their names,
 * and how a later start finds them.
 */

import { readdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { StoreUnavailableError } from "../store.ts";
import { endsOf } from "./file_names.ts";

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
