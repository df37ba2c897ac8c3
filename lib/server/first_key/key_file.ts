/**
 * The key file: it has the API key that the server makes if no key is set. No other user may read or
 * replace it. Windows has neither modes nor owners, so nothing of that is checked there.
 */

import { rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { digestOf } from "../../access/key_digest.ts";
import { makeKey } from "../../access/key_text.ts";
import { checkKeys } from "../../access/keys_option.ts";
import { followLinks, namesOnTheWay } from "../../stores/sqlite/file_names.ts";
import { FileExistsError, makeFolderFor, publishFile } from "../process/new_files.ts";
import { readSecretFile } from "../process/secret_file.ts";
import { explain, firstLine, SettingError } from "../process/start_error.ts";

/** The path of the key file. It is relative to the working directory. */
export const KEY_FILE = "data/api-key";

/** The key in a key file. */
export interface FileKey {
  key: string;
  /** Whether this start has made the key. */
  isNew: boolean;
}

/**
 * Reads the key, or makes the file with a new one.
 *
 * @throws {SettingError} If the file cannot be used, or other users could read or replace it.
 */
export async function readOrMakeKey(path: string): Promise<FileKey> {
  const found = readKey(path);
  if (found) return found;
  const key = makeKey();
  if (await tryMakeFile(path, key)) return { key, isNew: true };
  // The file is empty, or another server that starts at the same moment has made it.
  const existing = readKey(path);
  if (!existing) throw new SettingError(`${path} holds no key; remove it, and the next start makes one`);
  return existing;
}

/**
 * Reads the key. The result is undefined if there is no file, or an empty one.
 *
 * @throws {SettingError} As {@link readOrMakeKey}.
 */
export function readKey(path: string): FileKey | undefined {
  try {
    // The folders are checked even if there is no file, so that a first start makes none that the
    // next start would refuse.
    requireOwnFolders(path);
    const key = readKeyText(path);
    if (key === "") return undefined;
    requireOwnFile(path);
    if (/\s/.test(key)) {
      throw new SettingError(`${path} must have one key; set PETSTORE_KEYS_FILE to a file with several`);
    }
    checkKeys([key]);
    return { key, isNew: false };
  } catch (error) {
    throw explain(`${path} cannot be used`, error);
  }
}

/**
 * Reads the text of a file of any owner, with any permissions. The result is "" if there is no file.
 *
 * @throws {SettingError} If the file cannot be read.
 */
function readKeyText(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) ? readSecretFile(path, path) : "";
}

/** Makes the file with a key. Returns false if there is a file already. */
async function tryMakeFile(path: string, key: string): Promise<boolean> {
  try {
    makeFolderFor(path);
    // The file gets its name when it is whole: a part of a key would be a weak key.
    await publishFile(path, (name) => writeFileSync(name, key + "\n"));
    return true;
  } catch (error) {
    if (error instanceof FileExistsError) return false;
    throw explain(`${path} cannot be written`, error);
  }
}

/** The digest of a key, which is given in clear text or as its digest. */
export async function digestOfKey(key: string): Promise<string> {
  const [record] = checkKeys([key]);
  return "digest" in record!.key ? record!.key.digest : await digestOf(key);
}

/** @throws {SettingError} If other users can read the file, or it belongs to another one. */
function requireOwnFile(path: string): void {
  if (process.platform === "win32") return;
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0) {
    throw new SettingError(
      `${path} can be read by users other than its owner: run chmod 600 ${path}, or set a new key`,
    );
  }
  if (uid !== process.getuid?.()) {
    throw new SettingError(`${path} must belong to the user that runs the server: change its owner, or set a new key`);
  }
}

/**
 * Checks the folder of the file, and the folder of each link that leads to the file. Neither need
 * exist.
 *
 * @throws {SettingError} If other users can replace the file or a link.
 */
function requireOwnFolders(path: string): void {
  if (process.platform === "win32") return;
  for (const folder of namesOnTheWay(path).map(dirname)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats && mayOthersReplace(stats)) {
      throw new SettingError(`${folder} holds the API key and others can write to it: run chmod go-w ${folder}`);
    }
  }
}

/** Whether users other than the server's own can replace a file in a folder. */
function mayOthersReplace({ mode, uid }: Stats): boolean {
  // In a sticky folder, such as /tmp, only its owner can replace a file.
  if ((mode & 0o1000) !== 0) return false;
  if ((mode & 0o002) !== 0) return true;
  if ((mode & 0o020) === 0) return false;
  // Kubernetes and OpenShift give the server a folder of root, to which it can write by its group alone.
  const isOfPlatform = uid === 0 && process.getuid?.() !== 0;
  return !isOfPlatform;
}

/**
 * Removes the key file if it has a revoked key: a server with a new store would accept that key. A
 * first start may have made the file in the working directory, or beside the store. It does not
 * matter whose file it is: root may revoke the key of a service's own user.
 *
 * @param store The path of the store, or undefined if it is no file.
 * @returns A line for the operator about each file that was removed or cannot be read.
 */
export async function removeRevokedKey(digest: string, store: string | undefined): Promise<string[]> {
  const beside = store === undefined ? KEY_FILE : join(dirname(followLinks(store)), basename(KEY_FILE));
  const lines: string[] = [];
  for (const file of new Set([KEY_FILE, beside].map((path) => resolve(path)))) {
    try {
      const key = readKeyText(file);
      if (key === "" || await digestOfKey(key) !== digest) continue;
      rmSync(file);
      lines.push(`${file} had this key, and is removed`);
    } catch (error) {
      lines.push(`${firstLine(error)}. If ${file} has this key, remove it`);
    }
  }
  return lines;
}
