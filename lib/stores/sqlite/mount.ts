/**
 * Whether a file is a mount of its own, as `docker -v ./pets.db:/data/pets.db` and a `subPath` of Kubernetes make it. SQLite keeps the
 * log beside the name that it is given. For such a file that is the folder of one container: a new container has a file without its
 * log, and two servers on two names have two logs for one file.
 */

import { linkSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { mayAccess } from "./permissions.ts";
import { unfinishedName } from "./remains.ts";

/** @param path The path of a file that exists, without symbolic links. */
export function isMounted(path: string): boolean {
  const folder = dirname(path);
  if (statSync(path).dev !== statSync(folder).dev) return true;
  // A mount may come from the same file system as the folder around it. The system then refuses a second name beside the first one,
  // because no link leads from one mount to another. Without the permission to make the name, the file counts as no mount.
  if (!mayAccess("read", folder) || !mayAccess("write", folder)) return false;
  const name = unfinishedName(path);
  try {
    linkSync(path, name);
    return false;
  } catch (error) {
    // Any other failure says nothing, for example that the folder cannot be written to.
    return (error as { code?: unknown }).code === "EXDEV";
  } finally {
    rmSync(name, { force: true });
  }
}
