/** Reads the file of an import. */

import { createReadStream } from "node:fs";
import process from "node:process";
import { untilAborted } from "../../promises.ts";
import { explain } from "../process/start_error.ts";

/** The operand that means standard input or output. */
export const STANDARD = "-";

/** How many bytes of a file are read at a time. */
const BLOCK = 256 * 1024;

/**
 * Reads a file, a named pipe or standard input.
 *
 * @param signal Ends the reading with its reason, also while a pipe has no writer.
 * @throws {SettingError} If the file cannot be read.
 */
export async function* readSource(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const name = path === STANDARD ? "Standard input" : path;
  const source = path === STANDARD ? process.stdin : createReadStream(path, { highWaterMark: BLOCK });
  const blocks: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await untilAborted(signal, blocks.next());
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw explain(`${name} cannot be read`, error);
  }
}
