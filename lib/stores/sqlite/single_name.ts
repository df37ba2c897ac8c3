/**
 * A database must have a single name, because SQLite keeps the log beside the name by which it
 * opens the file. With two names, two servers have two logs for one file. A second name is a hard
 * link, or a mount of the file itself, as `docker -v ./pets.db:/data/pets.db` and a `subPath` of
 * Kubernetes make it: then the log is in the folder of one container, and a new container has a
 * file without its log.
 */

import { linkSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreUnavailableError } from "../store.ts";
import { pauseThread } from "./pause.ts";
import { mayAccess } from "./permissions.ts";
import { findSecondNames, unfinishedName } from "./remains.ts";

/**
 * How often the names of a file are counted before it is refused. Other starts give it further
 * names for moments: see {@link isMounted}.
 */
const MAX_COUNTS = 20;

/**
 * The longest pause between two counts, in milliseconds. It is random, so that the counts do not
 * keep step with other starts.
 */
const MAX_PAUSE_MS = 20;

/**
 * @param path The path of a file that exists, without symbolic links.
 * @throws {StoreUnavailableError} If the file has a second name.
 */
export function requireSingleName(givenPath: string, path: string): void {
  if (isLinked(path)) {
    throw new StoreUnavailableError(
      `${givenPath} is a file with several names (hard links); replace the others with symbolic links`,
    );
  }
  if (isMounted(path)) {
    throw new StoreUnavailableError(
      `${givenPath} is mounted by itself, so its log would be lost with this container; mount its folder instead`,
    );
  }
}

/**
 * Whether a file has several names. Those that a command has not finished do not count, because no
 * program opens the file by them.
 */
function isLinked(path: string): boolean {
  for (let counts = 1; seemsLinked(path); counts++) {
    if (counts === MAX_COUNTS) return true;
    pauseThread(Math.random() * MAX_PAUSE_MS);
  }
  return false;
}

/**
 * Whether one count finds another name. It is right about a file that has one, and may take the
 * name of another start for one.
 */
function seemsLinked(path: string): boolean {
  if (statSync(path).nlink === 1) return false;
  const before = findSecondNames(path);
  const { nlink } = statSync(path);
  const after = findSecondNames(path);
  // Only what is listed before and after was certainly there when the names were counted.
  return nlink - 1 > before.filter((name) => after.includes(name)).length;
}

/**
 * A link within a folder tells: the system refuses one that leads from one mount to another, also
 * on one file system, as the mount of a file may be. Only where no link can be made, such as in a
 * folder that cannot be written to, the devices are compared. They do not tell as much, because the
 * file of an overlay's lower layer may have another device than its folder, as in an image that is
 * fetched lazily.
 */
function isMounted(path: string): boolean {
  const folder = dirname(path);
  const hasOtherDevice = () => statSync(path).dev !== statSync(folder).dev;
  if (!mayAccess("read", folder) || !mayAccess("write", folder)) return hasOtherDevice();
  const name = unfinishedName(path);
  try {
    linkSync(path, name);
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === "EXDEV" || hasOtherDevice();
  } finally {
    rmSync(name, { force: true });
  }
}
