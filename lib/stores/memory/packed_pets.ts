/**
 * Millions of pets in few bytes each, outside the reach of the garbage collector. A pet is a record of bytes that are
 * already JSON, so that a page is copied together rather than written anew.
 */

import type { PetStatus } from "../../pet.ts";
import type { PetDraft } from "../store.ts";

/** Pets in a block. Its arrays are small enough to be grown by copying without a pause that anybody would see. */
const BLOCK_SHIFT = 10;
const BLOCK_SIZE = 1 << BLOCK_SHIFT;
const BLOCK_MASK = BLOCK_SIZE - 1;

/** The longest record: its head, a category of 20 characters, a name of 255 code points of four bytes each. */
const MAX_RECORD = 1 + 20 + 255 * 4;

/** What is written around a record: more than all constant parts and the longest id together. */
const MAX_FRAME = 96;

const QUOTE = 0x22, BACKSLASH = 0x5c, COMMA = 0x2c, ZERO = 0x30;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const BEFORE_ID = encoder.encode('{"id":');
const BEFORE_NAME = encoder.encode(',"name":"');
const BEFORE_CATEGORY = encoder.encode('","categoryId":');
const STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];
const AFTER_CATEGORY = STATUSES.map((status) => encoder.encode(`,"status":"${status}"}`));

/** A block: records one after the other, and where each ends. */
interface Block {
  bytes: Uint8Array;
  ends: Uint32Array;
}

/** Pets by number, from 0 on. A record is a byte (status and length of the category), the category's digits, the name. */
export class PackedPets {
  readonly #blocks: Block[] = [];
  #count = 0;
  #text = new Uint8Array(16_384);

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** Adds a pet behind the last. */
  append({ name, categoryId, status }: PetDraft): void {
    const category = String(categoryId);
    const code = STATUSES.indexOf(status);
    if (code < 0) throw new TypeError("The status of a pet must be one of the three");
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

  /** The text of one pet. */
  format(number: number): string {
    return decoder.decode(this.#text.subarray(0, this.#write(number, 0)));
  }

  /** The text of a JSON array of `count` pets; `numberAt` tells which. */
  formatArray(count: number, numberAt: (i: number) => number): string {
    let at = 0;
    this.#text[at++] = 0x5b;
    for (let i = 0; i < count; i++) {
      if (i > 0) this.#text[at++] = COMMA;
      at = this.#write(numberAt(i), at);
    }
    this.#text[at++] = 0x5d;
    return decoder.decode(this.#text.subarray(0, at));
  }

  /** Writes a pet's text and returns where it ends, with room for a character more. */
  #write(number: number, at: number): number {
    const { bytes, ends } = this.#blocks[number >>> BLOCK_SHIFT]!;
    const index = number & BLOCK_MASK;
    let start = index === 0 ? 0 : ends[index - 1]!;
    const end = ends[index]!;
    const text = this.#reserve(at + (end - start) + MAX_FRAME, at);
    const head = bytes[start++]!;
    const nameStart = start + (head & 0x3f);
    let to = copy(BEFORE_ID, 0, BEFORE_ID.length, text, at);
    to = writeInteger(number + 1, text, to);
    to = copy(BEFORE_NAME, 0, BEFORE_NAME.length, text, to);
    to = copy(bytes, nameStart, end, text, to);
    to = copy(BEFORE_CATEGORY, 0, BEFORE_CATEGORY.length, text, to);
    to = copy(bytes, start, nameStart, text, to);
    const tail = AFTER_CATEGORY[head >>> 6]!;
    return copy(tail, 0, tail.length, text, to);
  }

  /** The scratch space, large enough and with what it holds up to `used`. */
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

/** Writes a name as JSON has it between its quotes, and returns where it ends. */
function writeName(name: string, bytes: Uint8Array, start: number): number {
  let at = start;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    // Names have no control characters, so nothing else in ASCII needs an escape.
    if (unit >= 0x80 || unit === QUOTE || unit === BACKSLASH) {
      const escaped = JSON.stringify(name).slice(1, -1);
      return start + encoder.encodeInto(escaped, bytes.subarray(start)).written;
    }
    bytes[at++] = unit;
  }
  return at;
}

/** Copies bytes one by one: for a dozen of them that is faster than `set(subarray())`. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  for (let i = start; i < end; i++) to[at++] = from[i]!;
  return at;
}

/** Writes a number below 2^32, which is more pets than fit into memory: so the division is one of integers. */
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
