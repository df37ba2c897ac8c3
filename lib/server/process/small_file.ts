/** Files with keys or other secrets. */

import { readFileSync, statSync } from "node:fs";
import { explain, SettingError } from "./start_error.ts";

/** The most bytes that a file may have: room for some thousand keys. */
const MAX_BYTES = 1_048_576;

/**
 * Reads a file without the line ends at its end. The messages have none of its content.
 *
 * @param name The file's name for messages.
 * @throws {SettingError} If it cannot be read.
 */
export function readSmallFile(path: string, name: string): string {
  try {
    const stats = statSync(path);
    // Reading from a named pipe would wait for a writer, perhaps for ever.
    if (!stats.isFile()) throw new SettingError(`${name} must be a regular file`);
    if (stats.size > MAX_BYTES) throw new SettingError(`${name} is larger than ${MAX_BYTES} bytes`);
    return decode(readFileSync(path), name).replace(/[\r\n]+$/, "");
  } catch (error) {
    throw explain(`${name} cannot be read`, error);
  }
}

/**
 * Decodes strictly. Node's own decoding would keep a byte order mark as a part of a password, and would make a wrong secret of UTF-16. Text
 * in UTF-16, which PowerShell 5 writes, is known by its zero bytes.
 */
function decode(bytes: Uint8Array, name: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // The message below says what is wrong.
  }
  throw new SettingError(`${name} is not text in UTF-8; in PowerShell, write it by Set-Content -Encoding utf8`);
}
