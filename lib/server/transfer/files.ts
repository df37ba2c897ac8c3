/** The file that an import reads. */

import { constants, createReadStream, fstat, open, stat } from "node:fs";
import { Socket } from "node:net";
import process from "node:process";
import { promisify } from "node:util";
import { untilAborted } from "../../promises.ts";
import { codeOf } from "../process/folders.ts";
import { explain, SettingError } from "../process/start_error.ts";

/** The operand that means standard input or output. */
export const STANDARD = "-";

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
    // The read of a pipe as a file would delay the end of a process on Node, and so would the wait for its writer. A socket does not.
    // Deno has no such socket, and ends at once.
    const isSocket = process.versions["deno"] === undefined && (await promisify(stat)(path)).isFIFO();
    const flags = isSocket ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY;
    // The file is opened by its number and not as a FileHandle, because Node closes one that is collected as garbage,
    // below the socket.
    const fd = await untilAborted(signal, promisify(open)(path, flags));
    if (isSocket) return new Socket({ fd });
    if ((await promisify(fstat)(fd)).isDirectory()) throw new SettingError(`${path} cannot be read: it is a folder`);
    return createReadStream(path, { fd, highWaterMark: BLOCK });
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new SettingError(`${path} does not exist`);
    throw explain(`${path} cannot be read`, error);
  }
}
