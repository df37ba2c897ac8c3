/** Makes entity tags (RFC 9110 §8.8). A tag has a hash of the body, so that every server gives the same one. */

import { withUtf8Words } from "./utf8.ts";

// The tags with zeros in place of the digits, as character codes.
const TAG = /* @__PURE__ */ codesOf('W/"000000000000000000000000"');
const LINKED_TAG = /* @__PURE__ */ codesOf('W/"000000000000000000000000-linked"');

/** Where the first digit is, after `W/"`. */
const FIRST_DIGIT = 3;

const HEX_DIGITS = /* @__PURE__ */ codesOf("0123456789abcdef");
const DIGITS_PER_WORD = 8;

function codesOf(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

/**
 * The weak entity tag of a text. It has three numbers of eight hexadecimal digits: the length of the text, and the two halves of its hash.
 *
 * A strong tag would promise that no two texts have the same one (RFC 9110 §8.8.1). This hash cannot: it is not cryptographic, and a client
 * that chooses names can make two such texts. A cryptographic one costs more, and `crypto.subtle` would also be asynchronous.
 *
 * @param hasLink Whether the text is sent with a link. The tag then ends in `-linked`.
 */
export function weakETag(text: string, hasLink = false): string {
  const [hashA, hashB] = withUtf8Words(text, hashWords);
  // `toString(16)` would take 0.5 µs more. The codes become a text all at once, because V8 keeps joined texts as trees, which are slow to send.
  const codes = (hasLink ? LINKED_TAG : TAG).slice();
  writeHex(text.length, codes, FIRST_DIGIT);
  writeHex(hashA, codes, FIRST_DIGIT + DIGITS_PER_WORD);
  writeHex(hashB, codes, FIRST_DIGIT + 2 * DIGITS_PER_WORD);
  return String.fromCharCode(...codes);
}

/** Writes a number of 32 bits as eight hexadecimal digits, the highest one first. */
function writeHex(word: number, codes: number[], at: number): void {
  for (let digit = 0; digit < DIGITS_PER_WORD; digit++) {
    codes[at + digit] = HEX_DIGITS[(word >>> (28 - 4 * digit)) & 0xf]!;
  }
}

// The rounds and their constants are those of xxHash.
const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;

/**
 * Hashes words in two independent lanes, which a processor computes in parallel. Each half of the hash joins the lanes, in another order.
 *
 * @param words The UTF-8 bytes of the text, four in each word, and then zeros up to an even number of words. A text that ends in such zeros
 * itself has another length, which is in the tag.
 */
function hashWords(words: Uint32Array, count: number): [hashA: number, hashB: number] {
  let a = PRIME_1;
  let b = PRIME_2;
  for (let i = 0; i < count; i += 2) {
    a = round(a, words[i]!);
    b = round(b, words[i + 1]!);
  }
  return [round(a, b), round(b, a)];
}

/** Adds a word to a lane, rotates the sum by 13 bits, and multiplies it. */
function round(lane: number, word: number): number {
  const sum = (lane + Math.imul(word, PRIME_2)) | 0;
  const rotated = (sum << 13) | (sum >>> (32 - 13));
  return Math.imul(rotated, PRIME_1);
}
