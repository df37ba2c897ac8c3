import { Buffer } from "node:buffer";
import { SettingError } from "../process/start_error.ts";

/** The longest line of an import, in bytes. */
const MAX_LINE = 1024 * 1024;

const LF = 0x0a;

/** Spreadsheets and editors begin a file with this mark. */
const BYTE_ORDER_MARK = "\ufeff";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Yields the lines that each block completes, without their ends: text, or undefined for a line that is not valid UTF-8. A byte order
 * mark at the beginning is left out.
 *
 * @throws {SettingError} If a line is longer than 1 MiB.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<(string | undefined)[]> {
  let number = 0;
  let rest: Uint8Array[] = [];
  let length = 0;
  const requireShort = (bytes: number) => {
    if (bytes > MAX_LINE) throw new SettingError(`Line ${number + 1} is longer than 1 MiB; is a line end missing?`);
  };
  const take = (bytes: Uint8Array): string | undefined => {
    requireShort(bytes.length);
    number++;
    const text = textOf(bytes);
    return number === 1 && text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  };
  for await (const block of source) {
    const lines: (string | undefined)[] = [];
    let start = 0;
    for (let end; (end = block.indexOf(LF, start)) >= 0; start = end + 1) {
      const part = block.subarray(start, end);
      lines.push(take(rest.length === 0 ? part : Buffer.concat([...rest, part])));
      rest = [];
      length = 0;
    }
    if (start < block.length) {
      rest.push(block.subarray(start));
      length += block.length - start;
      requireShort(length);
    }
    yield lines;
  }
  if (length > 0) yield [take(Buffer.concat(rest))];
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
