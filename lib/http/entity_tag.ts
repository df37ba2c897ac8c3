/** Makes entity tags (RFC 9110 §8.8). A tag has a digest of the body, so that every server gives the same one. */

import { withUtf8Words } from "./utf8.ts";

/**
 * The weak entity tag of a text, such as `W/"0000003337ae0e58b0c3e986"`.
 *
 * A strong tag would promise that no two texts have the same one (RFC 9110 §8.8.1). This digest
 * cannot promise that. It is not cryptographic, and a client that chooses names can make two such
 * texts. A cryptographic one costs more, and `crypto.subtle` would also be asynchronous.
 *
 * @param hasLink Whether the text is sent with a link. The tag then ends in `-linked`.
 */
export function weakETag(text: string, hasLink = false): string {
  const digest = digest96(text);
  return hasLink ? `W/"${digest}-linked"` : `W/"${digest}"`;
}

/** A digest of a text in 96 bits, as 24 hexadecimal digits: the length of the text, and its hash. */
function digest96(text: string): string {
  const [hashA, hashB] = withUtf8Words(text, hashWords);
  return hex(text.length) + hex(hashA) + hex(hashB);
}

/** The eight hexadecimal digits of a number of 32 bits. With `toString(16)`, a tag would take 0.3 µs more. */
function hex(word: number): string {
  return HEX_OF_BYTE[word >>> 24]! + HEX_OF_BYTE[(word >>> 16) & 0xff]! +
    HEX_OF_BYTE[(word >>> 8) & 0xff]! + HEX_OF_BYTE[word & 0xff]!;
}

/** The two hexadecimal digits of each byte. */
const HEX_OF_BYTE = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

// The rounds and their constants are those of xxHash.
const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;

/**
 * Hashes words in two independent lanes, which a processor computes in parallel. Each half of the
 * hash joins the lanes, in another order.
 *
 * @param words The UTF-8 bytes of the text, four in each word, and then zeros up to an even number
 * of words. A text that ends in such zeros itself has another length, which is in the tag.
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
