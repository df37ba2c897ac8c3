/** The key file: it has the API key that the server makes if no key is set. */

import { rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { makeKey } from "../../access/key_text.ts";
import { digestOf } from "../../access/key_digest.ts";
import { checkKeys } from "../../access/keys_option.ts";
import { followLinks, namesOnTheWay } from "../../stores/sqlite/file_names.ts";
import { isPermitted } from "../../stores/sqlite/permissions.ts";
import { makeFolderFor } from "../process/folders.ts";
import { FileExistsError, publishFile } from "../process/publish_file.ts";
import { readSmallFile } from "../process/small_file.ts";
import { codeOf, explain, firstLine, SettingError } from "../process/start_error.ts";

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
  try {
    makeFolderFor(path);
    // The file gets its name when it is whole: a part of a key would be a weak key.
    await publishFile(path, (name) => writeFileSync(name, key + "\n"));
    return { key, isNew: true };
  } catch (error) {
    if (!(error instanceof FileExistsError)) throw explain(`${path} cannot be written`, error);
  }
  // Of several servers that start at once, one makes the file, and the others read it here. An empty file exists too.
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
    // The folders are checked even if there is no file, so that a first start makes none that the next start would refuse.
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
 * Checks the folder of the file, and the folder of each link that leads to the file, which need not exist.
 *
 * @throws {SettingError} If other users can replace the file or a link.
 */
function requireOwnFolders(path: string): void {
  // Windows has neither modes nor owners.
  if (process.platform === "win32") return;
  for (const folder of namesOnTheWay(path).map(dirname)) {
    if (mayReplaceFiles(statSync(folder))) {
      throw new SettingError(`${folder} holds the API key and others can write to it: run chmod go-w ${folder}`);
    }
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

/** @throws {SettingError} If other users can read the file, or it belongs to another one. */
function requireOwnFile(path: string, file: Stats): void {
  if (!file.isFile()) throw new SettingError(`${path} must be a regular file`);
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

/** The digest of a key, which is given in clear text or as its digest. */
export async function digestOfKey(key: string): Promise<string> {
  const [record] = checkKeys([key]);
  return "digest" in record!.key ? record!.key.digest : await digestOf(key);
}

/**
 * Removes the key file if it has a revoked key: a server with a new store would accept that key. A first start may have made the file in the
 * working directory, or beside the store.
 *
 * @param store The path of the store, or undefined if it is no file.
 * @returns A line for the operator about each file that was removed or cannot be read.
 */
export async function removeRevokedKey(digest: string, store: string | undefined): Promise<string[]> {
  const beside = store === undefined ? KEY_FILE : join(dirname(followLinks(store)), basename(KEY_FILE));
  const lines: string[] = [];
  for (const file of new Set([KEY_FILE, beside].map((path) => resolve(path)))) {
    try {
      if (!await hasKey(file, digest)) continue;
      rmSync(file);
      lines.push(`${file} had this key, and is removed`);
    } catch (error) {
      lines.push(`${firstLine(error)}. If ${file} has this key, remove it`);
    }
  }
  return lines;
}

/** Whether a file has a key. It does not matter whose file it is and who can read it: root may revoke the key of a service's own user. */
async function hasKey(path: string, digest: string): Promise<boolean> {
  if (!statSync(path, { throwIfNoEntry: false })) return false;
  const key = readSmallFile(path, path).trim();
  return key !== "" && await digestOfKey(key) === digest;
}
