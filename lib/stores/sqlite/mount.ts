/**
 * Whether a file is a mount of its own, as `docker -v ./pets.db:/data/pets.db` and a `subPath` of Kubernetes make it. SQLite keeps the
 * log beside the name that it is given. For such a file that is the folder of one container: a new container has a file without its
 * log, and two servers on two names have two logs for one file.
 */

import { linkSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { mayAccess } from "./permissions.ts";
import { unfinishedName } from "./remains.ts";

/**
 * A link within a folder tells: the system refuses one that leads from one mount to another, also on one file system, as the mount of a file
 * may be. Only where no link can be made, such as in a folder that cannot be written to, the devices are compared. They do not tell as much,
 * because the file of an overlay's lower layer may have another device than its folder, as in an image that is fetched lazily.
 *
 * @param path The path of a file that exists, without symbolic links.
 */
export function isMounted(path: string): boolean {
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
