/** The key file: it has the API key that the server makes if no key is set. */

import { statSync, writeFileSync } from "node:fs";
import { digestOf } from "../../access/key_digest.ts";
import { makeKey } from "../../access/key_text.ts";
import { checkKeys } from "../../access/keys_option.ts";
import { makeFolderFor } from "../process/folders.ts";
import { FileExistsError, publishFile } from "../process/publish_file.ts";
import { readSecretFile } from "../process/secret_file.ts";
import { explain, SettingError } from "../process/start_error.ts";
import { requireOwnFile, requireOwnFolders } from "./file_owner.ts";

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
export function readKeyText(path: string): string {
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
