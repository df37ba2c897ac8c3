/** Reads the file of an import. */

import { constants, createReadStream, fstat, open, stat } from "node:fs";
import { Socket } from "node:net";
import process from "node:process";
import { promisify } from "node:util";
import { untilAborted } from "../../promises.ts";
import { codeOf, explain, SettingError } from "../process/start_error.ts";

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
  const blocks = (path === STANDARD ? process.stdin : await openFile(path, signal))[Symbol.asyncIterator]();
  for (;;) {
    let block: IteratorResult<Uint8Array>;
    try {
      block = await untilAborted(signal, blocks.next());
    } catch (error) {
      throw explain(`${name} cannot be read`, error);
    }
    if (block.done) return;
    yield block.value;
  }
}

async function openFile(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  try {
    // On Node, a named pipe is read as a socket: a pending read of it as a file would delay the end of the process, and so would the wait
    // for its writer. Deno has no such socket, and ends at once.
    const isReadAsSocket = process.versions["deno"] === undefined && (await promisify(stat)(path)).isFIFO();
    const flags = isReadAsSocket ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY;
    // The descriptor is a number and not a FileHandle: Node would close a handle that is collected as garbage, though the socket still uses
    // it.
    const fd = await untilAborted(signal, promisify(open)(path, flags));
    if (isReadAsSocket) return new Socket({ fd });
    if ((await promisify(fstat)(fd)).isDirectory()) throw new SettingError(`${path} cannot be read: it is a folder`);
    return createReadStream(path, { fd, highWaterMark: BLOCK });
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new SettingError(`${path} does not exist`);
    throw explain(`${path} cannot be read`, error);
  }
}
