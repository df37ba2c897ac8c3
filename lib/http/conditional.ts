/** Entity tags and conditional requests (RFC 9110, sections 8.8 and 13). A tag is a hash of the body, so that every server gives the same one. */

import { type HeaderFields, type Invalidation, JSON_FIELDS, type Reply } from "./reply.ts";
import { withUtf8Words } from "./utf8.ts";
import type { RequestContext } from "./context.ts";
import { trimField } from "./request_text.ts";

/**
 * A successful reply that has an entity tag and may be kept.
 *
 * @param invalidatedBy Which change of the store, an `addition` or an `alteration` of pets, makes a kept copy stale.
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
  return { status: 304, headers: withoutBodyFields(reply.headers), body: null };
}

/** Whether a list of entity tags has one, by the weak comparison (RFC 9110 §8.8.3.2). */
function listsTag(header: string, etag: string): boolean {
  if (trimField(header) === "*") return true;
  const quoted = quotedPart(etag);
  // A foreign tag may contain commas, but no quotes. So no piece of it, when the list is split at commas, is a whole tag.
  return header.split(",").some((element) => quotedPart(trimField(element)) === quoted);
}

/** A tag without its `W/`: all that the weak comparison looks at. */
function quotedPart(etag: string): string {
  return etag.replace(/^W\//, "");
}

/** A 304 has no body, so the headers about it are left out. Others, such as Link, may be new to the client (RFC 9110 §15.4.5). */
function withoutBodyFields(headers: HeaderFields): HeaderFields {
  const { "content-type": _type, "content-encoding": _coding, "x-content-type-options": _options, ...others } = headers;
  return others;
}

/** A tag whose 24 letters are still to be filled in. */
const BLANK_TAG = /* @__PURE__ */ Array.from('W/"________________________"', (character) => character.charCodeAt(0));
const FIRST_LETTER_AT = 3;
const LETTER_A = 0x61;

/**
 * The weak entity tag of a text, the same on all servers. A strong tag would promise that no two texts have the same one (RFC 9110 §8.8.1), but
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

// The constants and the rounds are those of xxHash.
const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;

/**
 * Hashes words in four independent lanes, which a processor computes in parallel. Each half of the hash joins all lanes, in another order.
 *
 * @param words The UTF-8 bytes of the text, four in each word, and then zeros up to a multiple of four words. The length, which the tag has
 * too, tells such zeros from those of the text.
 */
function hashWords(words: Uint32Array, count: number): [hashA: number, hashB: number] {
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

/** Adds a word to a lane, rotates the sum by 13 bits, and multiplies it. */
function round(lane: number, word: number): number {
  const sum = (lane + Math.imul(word, PRIME_2)) | 0;
  const rotated = (sum << 13) | (sum >>> (32 - 13));
  return Math.imul(rotated, PRIME_1);
}
