/** Splits the bytes of an import into lines. */

import { Buffer } from "node:buffer";
import { SettingError } from "../process/start_error.ts";

/** The length of the longest line, in bytes. */
const MAX_LINE_BYTES = 1024 * 1024;

const LF = 0x0a;

/** The mark with which some spreadsheets and editors begin a file. */
const BYTE_ORDER_MARK = "\ufeff";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Yields, for each block of the source, a list of the lines that end in it, which may be empty. A line is text without its end, or
 * undefined if it is not valid UTF-8. A byte order mark at the beginning is left out. For speed, lines come in lists: each `yield` costs
 * some turns of the microtask queue.
 *
 * @throws {SettingError} If a line is longer than 1 MiB.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<(string | undefined)[]> {
  /** How many lines have ended. */
  let endedCount = 0;
  /** The parts of the line that has not ended, from the blocks until now, and the sum of their lengths in bytes. */
  let parts: Uint8Array[] = [];
  let partsLength = 0;
  const requireShort = (length: number) => {
    if (length <= MAX_LINE_BYTES) return;
    throw new SettingError(`Line ${endedCount + 1} is longer than 1 MiB; is a line end missing?`);
  };
  const endLine = (bytes: Uint8Array): string | undefined => {
    requireShort(bytes.length);
    endedCount++;
    const text = textOf(bytes);
    return endedCount === 1 && text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  };
  for await (const block of source) {
    const lines: (string | undefined)[] = [];
    let start = 0;
    let end = block.indexOf(LF);
    while (end >= 0) {
      const lastPart = block.subarray(start, end);
      lines.push(endLine(parts.length === 0 ? lastPart : Buffer.concat([...parts, lastPart])));
      parts = [];
      partsLength = 0;
      start = end + 1;
      end = block.indexOf(LF, start);
    }
    if (start < block.length) {
      parts.push(block.subarray(start));
      partsLength += block.length - start;
      requireShort(partsLength);
    }
    yield lines;
  }
  // The last line may lack its end.
  if (partsLength > 0) yield [endLine(Buffer.concat(parts))];
}

/** The text of bytes, or undefined if they are not valid UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
