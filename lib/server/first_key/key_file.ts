/** The key file: it has the API key that the server makes if no key is set. */

import { lstatSync, readlinkSync, realpathSync, type Stats, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { makeKey } from "../../access/key_text.ts";
import { digestOf } from "../../access/key_digest.ts";
import { checkKeys } from "../../access/keys_option.ts";
import { followLinks, MAX_LINKS } from "../../stores/sqlite/file_names.ts";
import { makeFolderFor } from "../process/folders.ts";
import { isPermitted } from "../process/process.ts";
import { FileExistsError, publishFile } from "../process/publish_file.ts";
import { readSmallFile } from "../process/small_file.ts";
import { codeOf, explain, SettingError } from "../process/start_error.ts";

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
 * Whether the file has the key with this digest. A server that starts in the folder above the file accepts the key if its store has no
 * keys. It does not matter here whose file it is and who can read it: root may revoke the key of a service's own user.
 *
 * @throws {SettingError} If the file cannot be read, or has something else than a key.
 */
export async function hasKey(path: string, digest: string): Promise<boolean> {
  if (!statSync(path, { throwIfNoEntry: false })) return false;
  const key = readSmallFile(path, path).trim();
  return key !== "" && await digestOfKey(key) === digest;
}

/**
 * The paths at which the key file of a first start may be: in the working directory, and beside the store if that is a file. Links to the
 * store are followed.
 *
 * @param store The path of the store, or undefined if it is no file.
 */
export function keyFilesOf(store: string | undefined): string[] {
  if (store === undefined) return [KEY_FILE];
  const beside = join(dirname(followLinks(store)), basename(KEY_FILE));
  return followLinks(KEY_FILE) === followLinks(beside) ? [KEY_FILE] : [KEY_FILE, beside];
}

/** The digest of a key, which is given in clear text or as its digest. */
export async function digestOfKey(key: string): Promise<string> {
  const [record] = checkKeys([key]);
  return "digest" in record!.key ? record!.key.digest : await digestOf(key);
}

/** @throws {SettingError} If other users can read the file, or it belongs to another one. */
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

/**
 * Checks the folder of the file, and the folder of each link that leads to the file, which need not exist.
 *
 * @throws {SettingError} If other users can replace the file or a link.
 */
function requireOwnFolders(path: string): void {
  if (process.platform === "win32") return;
  let name = path;
  for (let links = 0; links <= MAX_LINKS; links++) {
    const folder = dirname(name);
    if (mayReplaceFiles(statSync(folder))) {
      throw new SettingError(`${folder} holds the API key and others can write to it: run chmod go-w ${folder}`);
    }
    if (!lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) return;
    name = resolve(realpathSync(folder), readlinkSync(name));
  }
  throw new SettingError(`${path} must be a regular file, and its symbolic links lead in a circle`);
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
