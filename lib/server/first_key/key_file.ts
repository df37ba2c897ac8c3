/** The file with the API key that the server generates if no key is set. */

import { lstatSync, readlinkSync, realpathSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { makeKey } from "../../access/key_format.ts";
import { digestOf } from "../../access/key_ring.ts";
import { checkKeys } from "../../access/keys.ts";
import { followLinks } from "../../stores/sqlite/file.ts";
import { codeOf, FileExistsError, makeFolderFor, publishFile } from "../process/folders.ts";
import { isPermitted } from "../process/process.ts";
import { readSmallFile } from "../process/small_file.ts";
import { explain, SettingError } from "../process/start_error.ts";

/** The path of the key file, relative to the working directory. */
export const KEY_FILE = "data/api-key";

export interface FileKey {
  key: string;
  /** Whether this start has made the key. */
  isNew: boolean;
}

/**
 * Reads the key, or generates one if there is no file.
 *
 * @throws {SettingError} If the file cannot be used, or other users could read or replace it.
 */
export async function readOrMakeKey(path: string): Promise<FileKey> {
  const found = readKey(path);
  if (found) return found;
  const key = makeKey();
  try {
    makeFolderFor(path);
    // The file gets its name when it is whole, because part of a key would be a weak key.
    await publishFile(path, (name) => writeFileSync(name, key + "\n"));
    return { key, isNew: true };
  } catch (error) {
    if (!(error instanceof FileExistsError)) throw explain(`${path} cannot be written`, error);
  }
  // Of servers that start at once, one makes the file, and the others use it.
  const made = readKey(path);
  if (!made) throw new SettingError(`${path} holds no key; remove it, and the next start makes one`);
  return made;
}

/** Like {@link readOrMakeKey}, but makes no key. An empty file has none. */
export function readKey(path: string): FileKey | undefined {
  try {
    // The folder comes first, so that a first start makes no file that the next one would refuse.
    requireOwnFolders(path);
    requireOwnFile(path, statSync(path));
    const key = readSmallFile(path, path).trim();
    if (key === "") return undefined;
    checkKeys([key]);
    return { key, isNew: false };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw explain(`${path} cannot be used`, error);
  }
}

/**
 * Removes the file if it has a revoked key, which the next new store would otherwise accept.
 *
 * @param digest Of the revoked key.
 */
export async function removeKeyFile(path: string, digest: string): Promise<boolean> {
  if (!await hasKey(path, digest)) return false;
  rmSync(path);
  return true;
}

/** Whether the file has a key. Servers that start in the folder above it, and have a store without keys, then accept that key. */
export async function hasKey(path: string, digest: string): Promise<boolean> {
  const file = readKey(path);
  return file !== undefined && await digestOfKey(file.key) === digest;
}

/** Where the file of a first start may be: in the present folder, and beside a store that is a file, also if a link leads to it. */
export function keyFilesOf(store: string | undefined): string[] {
  if (store === undefined) return [KEY_FILE];
  const beside = join(dirname(followLinks(store)), basename(KEY_FILE));
  return followLinks(KEY_FILE) === followLinks(beside) ? [KEY_FILE] : [KEY_FILE, beside];
}

/** The digest of a key, which may be given as its digest. */
export async function digestOfKey(key: string): Promise<string> {
  const [record] = checkKeys([key]);
  return record!.isDigest ? record!.key : await digestOf(key);
}

function requireOwnFile(path: string, file: Stats): void {
  if (!file.isFile()) throw new SettingError(`${path} must be a regular file`);
  // Windows has neither modes nor owners.
  if (process.platform === "win32") return;
  if ((file.mode & 0o077) !== 0) {
    throw new SettingError(
      `${path} can be read by users other than its owner: run chmod 600 ${path}, or set a new key`,
    );
  }
  if (isPermitted({ name: "sys", kind: "uid" }) && file.uid !== process.getuid?.()) {
    throw new SettingError(`${path} must belong to the user that runs the server: change its owner, or set a new key`);
  }
}

/** Checks the folder of the file, and that of each link which leads to it. The file need not exist. */
function requireOwnFolders(path: string): void {
  if (process.platform === "win32") return;
  for (let name = path;; name = resolve(realpathSync(dirname(name)), readlinkSync(name))) {
    const folder = dirname(name);
    if (mayReplaceFiles(statSync(folder))) {
      throw new SettingError(`${folder} holds the API key and others can write to it: run chmod go-w ${folder}`);
    }
    if (!lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  }
}

/** Whether other users can replace a file in a folder, because they can write to the folder. */
function mayReplaceFiles({ mode, uid }: Stats): boolean {
  // In a sticky folder, such as /tmp, only its owner can replace a file.
  if ((mode & 0o1000) !== 0) return false;
  if ((mode & 0o002) !== 0) return true;
  // Kubernetes and OpenShift hand over a folder of root that the process can write to by its group alone.
  const isOfPlatform = uid === 0 && isPermitted({ name: "sys", kind: "uid" }) && process.getuid?.() !== 0;
  return (mode & 0o020) !== 0 && !isOfPlatform;
}
