/** Splits the bytes of an import into lines. */

import { SettingError } from "../process/start_error.ts";

/** The length of the longest line that may be cut by the blocks of its source, in characters. */
const MAX_LINE_LENGTH = 1024 * 1024;

/**
 * Yields, for each block of the source, a list of the lines that end in it, which may be empty. A line is text without its end. A byte order
 * mark at the beginning is left out. For speed, lines come in lists: each `yield` costs some turns of the microtask queue.
 *
 * @throws {SettingError} If a line is longer than 1 MiB, or the source is not UTF-8.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  /** How many lines have ended. */
  let endedCount = 0;
  /** The beginning of the line that has not ended. */
  let rest = "";
  for await (const block of source) {
    const text = decode(block);
    // Only the new block can have a line end, so the rest is not searched again: a line may come in many tiny blocks.
    const lines = text.includes("\n") ? (rest + text).split("\n") : [rest + text];
    rest = lines.pop()!;
    endedCount += lines.length;
    if (rest.length > MAX_LINE_LENGTH) {
      throw new SettingError(`Line ${endedCount + 1} is longer than 1 MiB; is a line end missing?`);
    }
    yield lines;
  }
  // The last line may lack its end.
  rest += decode();
  if (rest !== "") yield [rest];

  /** Decodes a block, or without one the end of the source. */
  function decode(block?: Uint8Array): string {
    try {
      return decoder.decode(block, { stream: block !== undefined });
    } catch {
      throw new SettingError(`The text is not valid UTF-8, on line ${endedCount + 1} or soon after it`);
    }
  }
}
