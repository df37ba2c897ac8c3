/** New files, which get their names when they are complete, and then survive a power failure, and new folders. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { COMPANION_ENDS, resolveFolder, unfinishedName } from "../../stores/sqlite/file_names.ts";
import { mayAccess } from "../../stores/sqlite/permissions.ts";
import { untilInterrupted } from "./runtime.ts";
import { codeOf, explain, SettingError } from "./start_error.ts";

/** A file that a command was told to make is already there, and stays as it is. */
export class FileExistsError extends SettingError {
  constructor(path: string) {
    super(`${path} exists already; choose another name`);
  }
}

/**
 * Writes a file, by its temporary name or by its descriptor. Soon after the signal is aborted, it
 * should throw the reason of the signal.
 */
type Fill<T> = (name: string, descriptor: number, signal: AbortSignal) => T | Promise<T>;

/**
 * Makes a new file that gets its name when it is complete and on disk.
 *
 * @returns The result of `fill`.
 * @throws {FileExistsError} If there is a file of this name.
 * @throws {InterruptedError} If a signal told the process to end. There is no new file then.
 */
export async function publishFile<T>(path: string, fill: Fill<T>): Promise<T> {
  requireNew(path);
  return await makeFile(path, fill, (name) => renameToNew(name, path));
}

/**
 * Makes a file, and moves it to its place when it is complete and on disk. From then on, a signal
 * no longer ends the work.
 *
 * @param path The place of the file.
 * @param move Moves the file from its temporary name to its place.
 * @returns The result of `fill`.
 * @throws {InterruptedError} If a signal told the process to end. There is no new file then.
 */
export async function makeFile<T>(path: string, fill: Fill<T>, move: (name: string) => void): Promise<T> {
  // The name is absolute, because SQLite takes a relative one such as file:copy.db for a URI.
  const name = unfinishedName(resolveFolder(path));
  return await untilInterrupted(async (signal) => {
    let descriptor: number | undefined;
    try {
      descriptor = openNew(name, path);
      const result = await fill(name, descriptor, signal);
      fsyncSync(descriptor);
      signal.throwIfAborted();
      move(name);
      syncFolder(dirname(path));
      return result;
    } catch (error) {
      throw codeOf(error) === "EEXIST" ? new FileExistsError(path) : error;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
      // After the file has got its name, there is nothing under the temporary one. Before that,
      // SQLite may have left a journal beside it.
      for (const end of ["", ...COMPANION_ENDS]) rmSync(name + end, { force: true });
    }
  });
}

/** Makes an empty file, accessible only to its owner. It follows no link. */
function openNew(name: string, path: string): number {
  try {
    return openSync(name, "wx", 0o600);
  } catch (error) {
    throw explain(`${path} cannot be made`, error);
  }
}

/**
 * Gives a file another name, and replaces no file of that name.
 *
 * @throws An error with the code `EEXIST`, or a {@link FileExistsError}, if there is one.
 */
export function renameToNew(name: string, path: string): void {
  try {
    linkSync(name, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw error;
    // A file system such as FAT has no hard links. There, two programs could pass this check at the
    // same moment, and the second would replace the file of the first.
    requireNew(path);
    renameSync(name, path);
    return;
  }
  rmSync(name);
}

/**
 * @throws {FileExistsError} If there is a file of this name. A symbolic link counts as one,
 * whatever its target is.
 * @throws {SettingError} If the name is that of a folder.
 */
export function requireNew(path: string): void {
  if (path.endsWith("/")) throw new SettingError(`${path} is the name of a folder; name a file`);
  if (lstatSync(path, { throwIfNoEntry: false })) throw new FileExistsError(path);
}

/**
 * Makes the folder for a file, accessible only to its owner, unless the folder exists. The folder
 * gets a `.gitignore`, because it will have an API key, which `git add .` would otherwise commit.
 */
export function makeFolderFor(path: string): void {
  const folder = dirname(path);
  if (existsSync(folder)) return;
  // No error is thrown if another start makes the folder meanwhile.
  mkdirSync(folder, { mode: 0o700, recursive: true });
  writeFileSync(join(folder, ".gitignore"), "*\n", { mode: 0o600, flush: true });
  // The name of the folder must reach the disk too. On Deno, the server may not be permitted to read the parent.
  const parent = dirname(folder);
  if (mayAccess("read", parent)) syncFolder(parent);
}

/** Syncs the names of new files to disk. Windows does this by itself, and cannot open a folder. */
export function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
