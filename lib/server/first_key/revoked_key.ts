import { rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { followLinks } from "../../stores/sqlite/file_names.ts";
import { firstLine } from "../process/start_error.ts";
import { digestOfKey, KEY_FILE, readKeyText } from "./key_file.ts";

/**
 * Removes the key file if it has a revoked key: a server with a new store would accept that key. A
 * first start may have made the file in the working directory, or beside the store. It does not
 * matter whose file it is: root may revoke the key of a service's own user.
 *
 * @param store The path of the store, or undefined if it is no file.
 * @returns A line for the operator about each file that was removed or cannot be read.
 */
export async function removeRevokedKey(digest: string, store: string | undefined): Promise<string[]> {
  const beside = store === undefined ? KEY_FILE : join(dirname(followLinks(store)), basename(KEY_FILE));
  const lines: string[] = [];
  for (const file of new Set([KEY_FILE, beside].map((path) => resolve(path)))) {
    try {
      const key = readKeyText(file);
      if (key === "" || await digestOfKey(key) !== digest) continue;
      rmSync(file);
      lines.push(`${file} had this key, and is removed`);
    } catch (error) {
      lines.push(`${firstLine(error)}. If ${file} has this key, remove it`);
    }
  }
  return lines;
}
