/** The folder in which a database file is made. */

import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { makeFolderFor } from "../process/folders.ts";
import { explain, SettingError } from "../process/start_error.ts";
import { KEY_FILE } from "../first_key/key_file.ts";

/**
 * Makes the folder of a file if that is the folder of the key file, which the server makes by itself.
 *
 * @throws {SettingError} If another folder is missing.
 */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  if (!isMissing(folder)) return;
  if (resolve(folder) !== resolve(dirname(KEY_FILE))) {
    throw new SettingError(`${path} cannot be made, because there is no folder ${folder}`);
  }
  try {
    makeFolderFor(path);
  } catch (error) {
    throw explain(`${folder} cannot be made`, error);
  }
}

/** Whether there is nothing at a path. A path that cannot be read counts as existing, because opening it gives a better message. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
