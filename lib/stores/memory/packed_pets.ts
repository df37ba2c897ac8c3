/**
 * Stores millions of pets compactly, in buffers that the garbage collector need not scan. The bytes of a record are already
 * JSON, so a page is assembled by copying.
 */

import { PET_STATUSES } from "../../pet.ts";
import { statusCode } from "../status_code.ts";
import type { PetDraft } from "../store.ts";

/** The number of pets in a block is 2^10. Growing a block copies it, so a large block would cause noticeable pauses. */
const BLOCK_SHIFT = 10;
const BLOCK_SIZE = 1 << BLOCK_SHIFT;
const BLOCK_MASK = BLOCK_SIZE - 1;

/** The longest record: one byte, a category of 20 characters, and a name of 255 code points of four bytes each. */
const MAX_RECORD = 1 + 20 + 255 * 4;

/** An upper bound for the JSON around a record: its constant parts and the longest id. */
const MAX_FRAME = 96;

const QUOTE = 0x22, BACKSLASH = 0x5c, COMMA = 0x2c, ZERO = 0x30;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const BEFORE_ID = encoder.encode('{"id":');
const BEFORE_NAME = encoder.encode(',"name":"');
const BEFORE_CATEGORY = encoder.encode('","categoryId":');
/** By status code. */
const AFTER_CATEGORY: Uint8Array[] = [];
for (const status of PET_STATUSES) AFTER_CATEGORY[statusCode(status)] = encoder.encode(`,"status":"${status}"}`);

/** Consecutive records, and the end of each. */
interface Block {
  bytes: Uint8Array;
  ends: Uint32Array;
}

/** Pets by index. A record consists of one byte (status and length of the category), the category's digits, and the name. */
export class PackedPets {
  readonly #blocks: Block[] = [];
  #count = 0;
  #text = new Uint8Array(16_384);

  get count(): number {
    return this.#count;
  }

  append({ name, categoryId, status }: PetDraft): void {
    const category = String(categoryId);
    const code = statusCode(status);
    const index = this.#count & BLOCK_MASK;
    if (index === 0) this.#addBlock();
    const block = this.#blocks[this.#blocks.length - 1]!;
    let at = index === 0 ? 0 : block.ends[index - 1]!;
    const bytes = block.bytes.length - at < MAX_RECORD ? grow(block, at) : block.bytes;
    bytes[at++] = code << 6 | category.length;
    for (let i = 0; i < category.length; i++) bytes[at++] = category.charCodeAt(i);
    block.ends[index] = writeName(name, bytes, at);
    this.#count++;
  }

  format(index: number): string {
    return decoder.decode(this.#text.subarray(0, this.#write(index, 0)));
  }

  /** The JSON array of `count` pets. `indexOf` gives the index of each. */
  formatArray(count: number, indexOf: (i: number) => number): string {
    let at = 0;
    this.#text[at++] = 0x5b;
    for (let i = 0; i < count; i++) {
      if (i > 0) this.#text[at++] = COMMA;
      at = this.#write(indexOf(i), at);
    }
    this.#text[at++] = 0x5d;
    return decoder.decode(this.#text.subarray(0, at));
  }

  /** Writes a pet's JSON and returns its end. Leaves room for one more character. */
  #write(index: number, at: number): number {
    const { bytes, ends } = this.#blocks[index >>> BLOCK_SHIFT]!;
    const place = index & BLOCK_MASK;
    let start = place === 0 ? 0 : ends[place - 1]!;
    const end = ends[place]!;
    const text = this.#reserve(at + (end - start) + MAX_FRAME, at);
    const head = bytes[start++]!;
    const nameStart = start + (head & 0x3f);
    let to = copy(BEFORE_ID, 0, BEFORE_ID.length, text, at);
    to = writeInteger(index + 1, text, to);
    to = copy(BEFORE_NAME, 0, BEFORE_NAME.length, text, to);
    to = copy(bytes, nameStart, end, text, to);
    to = copy(BEFORE_CATEGORY, 0, BEFORE_CATEGORY.length, text, to);
    to = copy(bytes, start, nameStart, text, to);
    const tail = AFTER_CATEGORY[head >>> 6]!;
    return copy(tail, 0, tail.length, text, to);
  }

  /** Returns the scratch buffer, grown to `size` if necessary. Its first `used` bytes are kept. */
  #reserve(size: number, used: number): Uint8Array {
    if (this.#text.length < size) {
      const larger = new Uint8Array(2 * size);
      larger.set(this.#text.subarray(0, used));
      this.#text = larger;
    }
    return this.#text;
  }

  #addBlock(): void {
    const full = this.#blocks.at(-1);
    if (full) full.bytes = full.bytes.slice(0, full.ends[BLOCK_MASK]);
    this.#blocks.push({ bytes: new Uint8Array(2 * MAX_RECORD), ends: new Uint32Array(BLOCK_SIZE) });
  }
}

function grow(block: Block, used: number): Uint8Array {
  const larger = new Uint8Array(2 * block.bytes.length);
  larger.set(block.bytes.subarray(0, used));
  return block.bytes = larger;
}

/** Writes a name as the content of a JSON string, and returns its end. */
function writeName(name: string, bytes: Uint8Array, start: number): number {
  let at = start;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    // Names contain no control characters, so nothing else in ASCII needs an escape.
    if (unit >= 0x80 || unit === QUOTE || unit === BACKSLASH) {
      const escaped = JSON.stringify(name).slice(1, -1);
      return start + encoder.encodeInto(escaped, bytes.subarray(start)).written;
    }
    bytes[at++] = unit;
  }
  return at;
}

/** Copies bytes and returns the end. For about a dozen bytes, a loop is faster than `set(subarray())`. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  for (let i = start; i < end; i++) to[at++] = from[i]!;
  return at;
}

/** Writes a number below 2^32 and returns its end. */
function writeInteger(value: number, to: Uint8Array, start: number): number {
  let length = 1;
  for (let power = 10; value >= power; power *= 10) length++;
  let rest = value >>> 0;
  for (let at = start + length - 1; at >= start; at--) {
    const tenth = (rest / 10) >>> 0;
    to[at] = ZERO + rest - 10 * tenth;
    rest = tenth;
  }
  return start + length;
}
