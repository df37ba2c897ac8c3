import { Buffer } from "node:buffer";
import type { ExportFormat } from "../../stores/pet_exporter.ts";
import { SettingError } from "../process/start_error.ts";

/** Of one record, and of those that are read ahead. */
const MAX_RECORD = 1024 * 1024, MAX_BYTES = 16 * MAX_RECORD;

const LF = 0x0a, CR = 0x0d, QUOTE = 0x22, COMMA = 0x2c;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** The index after a record's LF; −1 if the bytes do not contain it. */
export type FindEnd = (bytes: Uint8Array, start: number) => number;

export interface SourceRecord {
  line: number;
  bytes: Uint8Array;
  /** False for a last record without its end, as while another program writes it. */
  hasEnd: boolean;
}

/**
 * Yields the records that each block completes.
 *
 * @throws {SettingError} If a record is too long.
 */
export async function* readRecords(
  source: AsyncIterable<Uint8Array>,
  findEnd: FindEnd,
  line: number = 1,
): AsyncGenerator<SourceRecord[]> {
  let isStart = line === 1;
  let rest: Uint8Array = new Uint8Array();
  const take = (bytes: Uint8Array, hasEnd: boolean): SourceRecord => {
    if (bytes.length > MAX_RECORD) {
      throw new SettingError(`Line ${line} is longer than 1 MiB; is a line end or a closing quote missing?`);
    }
    const record = { line, bytes, hasEnd };
    line += countLineEnds(bytes);
    return record;
  };
  for await (const block of source) {
    const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    const records: SourceRecord[] = [];
    let start = isStart && hasMark(bytes) ? BYTE_ORDER_MARK.length : 0;
    isStart &&= bytes.length < BYTE_ORDER_MARK.length;
    for (let end; (end = findEnd(bytes, start)) >= 0; start = end) records.push(take(bytes.subarray(start, end), true));
    rest = bytes.subarray(start);
    if (rest.length > MAX_RECORD) take(rest, false);
    yield records;
  }
  if (rest.length > 0) yield [take(rest, false)];
}

export type Lookahead = ReturnType<typeof lookAhead>;

export function lookAhead(source: AsyncIterable<Uint8Array>, format: ExportFormat) {
  const findEnd = format === "csv" ? findCsvEnd : findLineEnd;
  let records: SourceRecord[] = [];
  let blocks = readRecords(source, findEnd);
  let isAtEnd = false;
  return {
    /** At most `count`, and fewer if they have too many bytes. It does not depend on the blocks. */
    async peek(count: number): Promise<SourceRecord[]> {
      let bytes = 0;
      for (let i = 0; i < count; i++) {
        while (i === records.length) {
          const { done, value } = await blocks.next();
          isAtEnd = done === true;
          if (done) return records.slice(0, i);
          records = records.concat(value);
        }
        bytes += records[i]!.bytes.length;
        if (bytes > MAX_BYTES) return records.slice(0, i);
      }
      return records.slice(0, count);
    },
    skip(count: number): void {
      records = records.slice(count);
    },
    /** Continues within the last of the records that were not skipped. */
    resume(): void {
      // Only the last record of a source lacks its end.
      const last = isAtEnd || records.at(-1)?.hasEnd === false ? records.pop() : undefined;
      isAtEnd = false;
      if (last) blocks = readRecords(continued(last.bytes, source), findEnd, last.line);
    },
  };
}

async function* continued(start: Uint8Array, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start;
  yield* source;
}

/** Spreadsheets write a byte order mark in UTF-8. */
function hasMark(bytes: Uint8Array): boolean {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte);
}

function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; (at = bytes.indexOf(LF, at)) >= 0; at++) count++;
  return count;
}

export function withoutLineEnd(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  if (bytes[end - 1] === LF) end--;
  if (bytes[end - 1] === CR) end--;
  return bytes.subarray(0, end);
}

export function withLineEnd({ bytes, hasEnd }: SourceRecord): Uint8Array {
  return hasEnd ? bytes : Buffer.concat([bytes, Uint8Array.of(LF)]);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Without the line's end. Undefined if it is not valid UTF-8. */
export function textOf({ bytes }: SourceRecord): string | undefined {
  try {
    return decoder.decode(withoutLineEnd(bytes));
  } catch {
    return undefined;
  }
}

export function findLineEnd(bytes: Uint8Array, start: number): number {
  // Without an LF, −1 becomes 0, which is no end.
  return bytes.indexOf(LF, start) + 1 || -1;
}

/** RFC 4180: a field in quotes may contain line ends. A quote within another field has no meaning. */
export function findCsvEnd(bytes: Uint8Array, start: number): number {
  let isFieldStart = true;
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === LF) return i + 1;
    if (byte === QUOTE && isFieldStart) {
      i = closingQuote(bytes, i + 1);
      if (i < 0) return -1;
    }
    isFieldStart = byte === COMMA;
  }
  return -1;
}

/** Two quotes are one within the field. */
function closingQuote(bytes: Uint8Array, start: number): number {
  for (let i = start; (i = bytes.indexOf(QUOTE, i)) >= 0; i += 2) {
    if (bytes[i + 1] !== QUOTE) return i;
  }
  return -1;
}
