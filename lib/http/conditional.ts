/**
 * Entity tags and conditional requests (RFC 9110, sections 8.8 and 13). A tag is a hash of the body, so that every server gives the same
 * one, and it is weak, because such a hash can be forged.
 */

import { type HeaderFields, type Invalidation, JSON_FIELDS, type Reply } from "./reply.ts";
import { withWords } from "./utf8.ts";
import type { RequestContext } from "./context.ts";
import { trimField } from "./request_text.ts";

/**
 * A successful reply that has an entity tag and may be kept.
 *
 * @param headers Further headers. If a link is among them, the same body without it has another tag: a page has a link as long as
 * another page follows.
 */
export function representation(body: string, invalidatedBy: Invalidation, headers: HeaderFields = {}): Reply {
  const etag = weakETag(body, headers["link"] !== undefined);
  return { status: 200, headers: { ...JSON_FIELDS, etag, ...headers }, body, etag, invalidatedBy };
}

/** The reply to a client that may have it already (RFC 9110 §13.1.2). */
export function conditionalReply(reply: Reply, context: RequestContext): Reply {
  if (reply.etag === undefined) return reply;
  const known = context.header("if-none-match");
  if (known === null || !listsTag(known, reply.etag)) return reply;
  // A 304 has no body, so the headers about it are left out. Others, such as Link, may be new to the client (RFC 9110 §15.4.5).
  const { "content-type": _type, "content-encoding": _coding, "x-content-type-options": _options, ...others } =
    reply.headers;
  return { status: 304, headers: others, body: null };
}

/** Whether a list of entity tags has one, by the weak comparison (RFC 9110 §8.8.3.2). */
export function listsTag(header: string, etag: string): boolean {
  if (trimField(header) === "*") return true;
  /** The quoted part of the tag, which is all that the weak comparison looks at. */
  const opaque = etag.replace(/^W\//, "");
  // A foreign tag may contain commas, but no quotes. So no piece of it, when the list is split at commas, is a whole tag.
  return header.split(",").some((element) => trimField(element).replace(/^W\//, "") === opaque);
}

// The constants and the rounds are those of xxHash.
const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;

/** The character codes of a tag: `W/"`, 24 letters that are filled in, and `"`. */
const TAG: readonly number[] = /* @__PURE__ */ [0x57, 0x2f, 0x22, ...Array(24).fill(0x61), 0x22];

const LETTER_A = 0x61;

/**
 * The weak entity tag of a text, the same on all servers. It is weak because its hash is not cryptographic: a client that
 * chooses names can make two texts with one tag (docs/decisions.md).
 *
 * The tag is made of three numbers with eight letters each: the length of the text with one bit for the link, and the two halves of the hash.
 *
 * @param hasLink Whether the text is sent with a link. It is a part of the tag.
 */
export function weakETag(text: string, hasLink = false): string {
  const [low, high] = withWords(text, hashWords);
  const codes = TAG.slice();
  putLetters(codes, 3, 2 * text.length + (hasLink ? 1 : 0));
  putLetters(codes, 11, low);
  putLetters(codes, 19, high);
  // All at once: V8 keeps joined texts as trees, which cost 1.5 µs more when they are sent.
  return String.fromCharCode(...codes);
}

/** Writes 32 bits as eight letters from `a` to `p`. Each letter has four bits, the lowest first. */
function putLetters(codes: number[], start: number, bits: number): void {
  for (let i = 0; i < 8; i++) {
    codes[start + i] = LETTER_A + (bits & 0b1111);
    bits >>>= 4;
  }
}

/**
 * Hashes words in four independent lanes, which a processor computes in parallel. Each half of the hash joins all lanes, in another order.
 *
 * @param words After the words of the text, there are zeros up to a multiple of four. The length, which the tag has too, tells such zeros
 * from those of the text.
 */
function hashWords(words: Uint32Array, count: number): [low: number, high: number] {
  let a = PRIME_1;
  let b = PRIME_2;
  let c = PRIME_3;
  let d = PRIME_4;
  for (let i = 0; i < count; i += 4) {
    a = round(a, words[i]!);
    b = round(b, words[i + 1]!);
    c = round(c, words[i + 2]!);
    d = round(d, words[i + 3]!);
  }
  return [round(round(round(a, b), c), d), round(round(round(d, c), b), a)];
}

function round(lane: number, word: number): number {
  const sum = lane + Math.imul(word, PRIME_2) | 0;
  return Math.imul(sum << 13 | sum >>> 19, PRIME_1);
}
