/**
 * Checks that no other user can read or replace the key file. Windows has neither modes nor owners,
 * so nothing is checked there.
 */

import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { namesOnTheWay } from "../../stores/sqlite/file_names.ts";
import { SettingError } from "../process/start_error.ts";

/** @throws {SettingError} If other users can read the file, or it belongs to another one. */
export function requireOwnFile(path: string): void {
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
export function requireOwnFolders(path: string): void {
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
