/** What must be true before a database file is made, and the folder for it. */

import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { followLinks } from "../../stores/sqlite/file_names.ts";
import { describeMissing, findLeftFile, requireRestored } from "../../stores/sqlite/remains.ts";
import { makeFolderFor, missingFolder } from "../process/folders.ts";
import { KEY_FILE } from "../first_key/key_file.ts";
import { SettingError } from "../process/start_error.ts";

/**
 * Prepares the folder for a database that does not exist. A database that exists is not looked at.
 *
 * @throws {SettingError} If the folder is missing and must not be made, or a restore or a backup has left files there.
 * @throws {StoreUnavailableError} If a restore was cut short.
 */
export function prepareFile(path: string): void {
  if (!isMissing(path)) return;
  prepareFolder(path);
  const file = followLinks(path);
  requireRestored(path, file);
  if (findLeftFile(file) !== undefined) throw new SettingError(describeMissing(path, file));
}

/**
 * Makes the folder of a file if that is the folder of the key file, which the server makes by itself.
 *
 * @throws {SettingError} If another folder is missing.
 */
export function prepareFolder(path: string): void {
  if (!isMissing(dirname(path))) return;
  if (!isBesideKeyFile(path)) throw missingFolder(path);
  makeFolderFor(path);
}

export function isBesideKeyFile(path: string): boolean {
  return resolve(dirname(path)) === resolve(dirname(KEY_FILE));
}

/** Whether there is nothing at a path. A path that cannot be read counts as existing, because opening it gives a better message. */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
