/** Files with keys or other secrets. */

import { readFileSync, statSync } from "node:fs";
import { explain, SettingError } from "./start_error.ts";

/**
 * Reads a file without the white space around its text, such as the line end that an editor adds.
 * The messages have none of its content.
 *
 * @param name The file's name for messages.
 * @throws {SettingError} If it cannot be read.
 */
export function readSecretFile(path: string, name: string): string {
  try {
    // Reading from a named pipe would wait for a writer, perhaps for ever.
    if (!statSync(path).isFile()) throw new SettingError(`${name} must be a regular file`);
    return decode(readFileSync(path), name).trim();
  } catch (error) {
    throw explain(`${name} cannot be read`, error);
  }
}

/**
 * Decodes strictly: Node's own decoding would keep a byte order mark as a part of a password, and
 * make a wrong secret of UTF-16.
 */
function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // PowerShell 5 writes UTF-16.
    throw new SettingError(`${name} is not text in UTF-8; in PowerShell, write it by Set-Content -Encoding utf8`);
  }
}
