import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder in memory, if the system has one. There, a commit does not wait for a disk that others use. */
export const IN_MEMORY: string = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export async function withTempFolder<T>(
  use: (folder: string) => T | Promise<T>,
  parent: string = tmpdir(),
): Promise<T> {
  const folder = mkdtempSync(join(parent, "petstore-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
