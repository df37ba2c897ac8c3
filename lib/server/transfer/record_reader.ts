/** Splits a stream of bytes into records, and buffers only a part of it. */

import { createHash } from "node:crypto";
import { SettingError } from "../start_error.ts";

/** How many records may be read ahead, and so the largest chunk of an import. */
export const MAX_RECORDS = 20_000;

/** The longest record, and how many bytes of records may be read ahead. */
const MAX_RECORD = 1024 * 1024, MAX_BYTES = 16 * 1024 * 1024;

const LF = 0x0a, CR = 0x0d, QUOTE = 0x22, COMMA = 0x2c;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Finds the end of a record, after its LF.
 *
 * @param start The index at which the record begins.
 * @returns −1 if the bytes up to `length` do not contain it.
 */
export type FindEnd = (bytes: Uint8Array, start: number, length: number) => number;

/** A record and the number of the line on which it begins. */
export interface SourceRecord {
  line: number;
  /** Without the line's end. Undefined if it is not valid UTF-8. */
  text: string | undefined;
}

export class RecordReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #findEnd: FindEnd;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #bytes = new Uint8Array(2 * MAX_RECORD);
  #length = 0;
  /** Where each complete record ends in the bytes. */
  #ends: number[] = [];
  #line = 1;
  #isAtStart = true;
  #hasEnded = false;
  /** The bytes of the records that were skipped. */
  skippedBytes = 0;

  constructor(source: AsyncIterable<Uint8Array>, findEnd: FindEnd) {
    this.#source = source[Symbol.asyncIterator]();
    this.#findEnd = findEnd;
  }

  /**
   * How many records the next chunk can have. It depends on the records, and not on the blocks in which they arrive, so that a
   * repeated import has the same chunks.
   */
  get count(): number {
    let count = Math.min(this.#ends.length, MAX_RECORDS);
    while (count > 0 && this.#ends[count - 1]! > MAX_BYTES) count--;
    return count;
  }

  /**
   * Buffers as many records as a chunk can have, or all that are left.
   *
   * @throws {SettingError} If a record is too long.
   */
  async fill(): Promise<void> {
    while (!this.#hasEnded && this.#ends.length < MAX_RECORDS && this.#length < MAX_BYTES) {
      const { done, value } = await this.#source.next();
      if (done) this.#hasEnded = true;
      else this.#append(value);
      this.#splitRecords();
    }
  }

  /** The digest of all records of the source up to the end of these. The end of the last line does not count. */
  digest(parent: string, count: number): string {
    return createHash("sha256").update(parent).update(this.#bytes.subarray(0, this.#contentEnd(0, count)))
      .digest("base64url");
  }

  /** Decodes the first records, and keeps them. */
  peek(count: number): SourceRecord[] {
    const texts = this.#decodeTogether(count);
    let line = this.#line;
    return Array.from({ length: count }, (_, i) => {
      const record = { line, text: texts ? texts[i]! : this.#decode(i) };
      line += texts ? 1 : this.#countLines(i);
      return record;
    });
  }

  /** Removes the first records. */
  skip(count: number): void {
    const end = this.#ends[count - 1] ?? 0;
    this.#line += this.#countLines(0, count);
    this.#bytes.copyWithin(0, end, this.#length);
    this.#length -= end;
    this.#ends = this.#ends.slice(count).map((each) => each - end);
    this.skippedBytes += end;
  }

  #append(block: Uint8Array): void {
    if (this.#length + block.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#length + block.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(block, this.#length);
    this.#length += block.length;
  }

  #splitRecords(): void {
    if (this.#isAtStart && this.#length < BYTE_ORDER_MARK.length && !this.#hasEnded) return;
    if (this.#isAtStart) this.#skipByteOrderMark();
    let start = this.#ends.at(-1) ?? 0;
    for (let end; (end = this.#findEnd(this.#bytes, start, this.#length)) >= 0; start = end) {
      this.#checkLength(start, end);
      this.#ends.push(end);
    }
    this.#checkLength(start, this.#length);
    if (this.#hasEnded && start < this.#length) this.#ends.push(this.#length);
  }

  /** Spreadsheets write the mark at the start of a file in UTF-8. */
  #skipByteOrderMark(): void {
    this.#isAtStart = false;
    if (BYTE_ORDER_MARK.some((byte, i) => this.#length <= i || this.#bytes[i] !== byte)) return;
    this.#bytes.copyWithin(0, BYTE_ORDER_MARK.length, this.#length);
    this.#length -= BYTE_ORDER_MARK.length;
  }

  #checkLength(start: number, end: number): void {
    if (end - start <= MAX_RECORD) return;
    const line = this.#line + countLineEnds(this.#bytes, 0, start);
    throw new SettingError(`Line ${line} is longer than 1 MiB; is a line end or a closing quote missing?`);
  }

  /** Where the content of record `i` ends, without its line's end. */
  #contentEnd(start: number, count: number): number {
    let end = this.#ends[count - 1] ?? start;
    if (end > start && this.#bytes[end - 1] === LF) end--;
    if (end > start && this.#bytes[end - 1] === CR) end--;
    return end;
  }

  /** The texts of the first records, if each is one line of valid UTF-8. This is three times as fast as decoding each. */
  #decodeTogether(count: number): string[] | undefined {
    try {
      const texts = this.#decoder.decode(this.#bytes.subarray(0, this.#contentEnd(0, count))).split("\n");
      if (texts.length !== count) return undefined;
      return texts.map((text) => text.endsWith("\r") ? text.slice(0, -1) : text);
    } catch {
      return undefined;
    }
  }

  #decode(i: number): string | undefined {
    const start = this.#ends[i - 1] ?? 0;
    try {
      return this.#decoder.decode(this.#bytes.subarray(start, this.#contentEnd(start, i + 1)));
    } catch {
      return undefined;
    }
  }

  /** How many lines records have, the first of them being record `i`. */
  #countLines(i: number, count = 1): number {
    const end = this.#ends[i + count - 1] ?? 0;
    const lines = countLineEnds(this.#bytes, this.#ends[i - 1] ?? 0, end);
    return end > 0 && this.#bytes[end - 1] === LF ? lines : lines + 1;
  }
}

function countLineEnds(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; (at = bytes.indexOf(LF, at)) >= 0 && at < end; at++) count++;
  return count;
}

/** Each line is a record. */
export function findLineEnd(bytes: Uint8Array, start: number, length: number): number {
  const end = bytes.indexOf(LF, start);
  return end < 0 || end >= length ? -1 : end + 1;
}

/** A record of CSV (RFC 4180): a field in quotes may contain line ends. A quote within another field has no meaning here. */
export function findCsvEnd(bytes: Uint8Array, start: number, length: number): number {
  let isFieldStart = true;
  for (let i = start; i < length; i++) {
    const byte = bytes[i];
    if (byte === LF) return i + 1;
    if (byte === QUOTE && isFieldStart) {
      i = closingQuote(bytes, i + 1, length);
      if (i < 0) return -1;
    }
    isFieldStart = byte === COMMA;
  }
  return -1;
}

/** The index of the quote that ends a field. Two quotes are one within the field. */
function closingQuote(bytes: Uint8Array, start: number, length: number): number {
  for (let i = start; (i = bytes.indexOf(QUOTE, i)) >= 0 && i < length; i += 2) {
    if (i + 1 === length || bytes[i + 1] !== QUOTE) return i;
  }
  return -1;
}
