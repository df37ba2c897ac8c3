/** Makes entity tags (RFC 9110 §8.8). A tag is a hash of the body, so that every server gives the same one. */

import { withUtf8Words } from "./utf8.ts";

/** A tag whose 24 letters are still to be filled in. */
const BLANK_TAG = /* @__PURE__ */ Array.from('W/"________________________"', (character) => character.charCodeAt(0));
const FIRST_LETTER_AT = 3;
const LETTER_A = 0x61;

// These constants and the rounds are those of xxHash.
const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;

/**
 * The weak entity tag of a text, the same on all servers: `W/"`, eight letters for its length and the link, eight for each half of its hash, and
 * a quotation mark. A strong tag would promise that no two texts have the same one (RFC 9110 §8.8.1), but
 * this hash is not cryptographic: a client that chooses names can make two such texts (docs/decisions.md).
 *
 * @param hasLink Whether the text is sent with a link. It is a part of the tag.
 */
export function weakETag(text: string, hasLink = false): string {
  const [hashA, hashB] = withUtf8Words(text, hashWords);
  // The lowest bit tells whether there is a link, and the others are the length of the text.
  const lengthAndLink = 2 * text.length + (hasLink ? 1 : 0);
  const codes = BLANK_TAG.slice();
  let at = FIRST_LETTER_AT;
  for (const bits of [lengthAndLink, hashA, hashB]) {
    // Eight letters from `a` to `p` have four bits each, the lowest first.
    for (let shift = 0; shift < 32; shift += 4) codes[at++] = LETTER_A + ((bits >>> shift) & 0b1111);
  }
  // The codes become a text all at once: V8 keeps joined texts as trees, which cost 1.5 µs more when they are sent.
  return String.fromCharCode(...codes);
}

/**
 * Hashes words in two independent lanes, which a processor computes in parallel. Each half of the hash joins the lanes, in another order.
 *
 * @param words The UTF-8 bytes of the text, four in each word, and then zeros up to an even number of words. The length, which the tag has
 * too, tells such zeros from those of the text.
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
