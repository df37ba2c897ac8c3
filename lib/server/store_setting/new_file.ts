import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { followLinks } from "../../stores/sqlite/file.ts";
import { describeMissing, requireRestored } from "../../stores/sqlite/remains.ts";
import { makeFolderFor, missingFolder } from "../process/folders.ts";
import { KEY_FILE } from "../first_key/key_file.ts";
import { SettingError } from "../process/start_error.ts";

/** @throws {SettingError} If the folder of a database is missing, or a restore has left files there. */
export function prepareFile(path: string): void {
  if (!isMissing(path)) return;
  prepareFolder(path);
  const file = followLinks(path);
  requireRestored(path, file);
  const missing = describeMissing(path, file);
  if (!missing.endsWith("does not exist")) throw new SettingError(missing);
}

/** @throws {SettingError} If the folder of a file is missing and not the one that the server makes by itself. */
export function prepareFolder(path: string): void {
  if (!isMissing(dirname(path))) return;
  if (!isBesideKeyFile(path)) throw missingFolder(path);
  makeFolderFor(path);
}

export function isBesideKeyFile(path: string): boolean {
  return resolve(dirname(path)) === resolve(dirname(KEY_FILE));
}

/** An unreadable path counts as existing, because opening it gives a better message. */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
