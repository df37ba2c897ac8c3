/** Entity tags and `If-None-Match` (RFC 9110 §8.8.3 and §13.1.2). */

import { type Answer, type HeaderFields, JSON_FIELDS } from "./answer.ts";
import { trimField } from "./field_value.ts";

/** From this many characters on, a text is hashed as bytes, a word at a time: to encode it first costs less than it saves. */
const LONG_TEXT = 400;
const SCRATCH = new Uint8Array(262_144);
const SCRATCH_WORDS = new Uint32Array(SCRATCH.buffer);
const ENCODER = new TextEncoder();

// The multipliers of xxHash, whose rounds these are.
const PRIME_1 = 0x9e3779b1, PRIME_2 = 0x85ebca77, PRIME_3 = 0xc2b2ae3d, PRIME_4 = 0x27d4eb2f;

/**
 * A strong entity tag of a text: the same on every server, every runtime and after every restart, so that a client may
 * be sent to another one. It has three parts: the length of the text, the variant, and 64 bits of a hash.
 *
 * The hash is enough against chance and not against somebody who computes collisions, which takes milliseconds; a secret
 * seed would make tags differ from server to server. What must not be hidden by a forged tag is told by the other parts:
 * a list at one URL only grows, so two states of it never have the same length; a last page that gets a next one keeps
 * its text and changes its variant; and a pet at one URL stays as it is. So whoever adds a pet cannot make an older tag
 * of anybody's page hold. Where data is changed in other ways (by another program, by a store of an app's own, by a
 * backup that is restored and then added to), another text of the same length can come, and then the hash alone decides.
 *
 * @param variant Which of several representations with this text it is: what else it says, in its headers.
 */
export function strongETag(text: string, variant = 0): string {
  const wordCount = text.length < LONG_TEXT ? 0 : encodeWords(text);
  const [low, high] = wordCount === 0 ? hashUnits(text) : hashWords(wordCount);
  const hash = `${finalMix(low ^ text.length).toString(36)}-${finalMix(high ^ low).toString(36)}`;
  return `"${text.length}-${variant}-${hash}"`;
}

function hashUnits(text: string): [low: number, high: number] {
  let low = PRIME_1, high = PRIME_2;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = round(low, unit);
    high = Math.imul(high ^ unit, PRIME_3) ^ (high >>> 15);
  }
  return [low, high];
}

/** Four lanes that do not wait for one another. */
function hashWords(count: number): [low: number, high: number] {
  let a = PRIME_1, b = PRIME_2, c = PRIME_3, d = PRIME_4;
  for (let i = 0; i < count; i += 4) {
    a = round(a, SCRATCH_WORDS[i]!);
    b = round(b, SCRATCH_WORDS[i + 1]!);
    c = round(c, SCRATCH_WORDS[i + 2]!);
    d = round(d, SCRATCH_WORDS[i + 3]!);
  }
  return [round(round(a, b), c), round(round(d, c), a ^ b)];
}

function round(lane: number, word: number): number {
  const sum = lane + Math.imul(word, PRIME_2) | 0;
  return Math.imul(sum << 13 | sum >>> 19, PRIME_1);
}

/** Carries every bit into every other, as MurmurHash3 ends. */
function finalMix(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), PRIME_2);
  const whole = Math.imul(half ^ (half >>> 13), PRIME_3);
  return (whole ^ (whole >>> 16)) >>> 0;
}

/** How many words, a multiple of four, the text's bytes take in the scratch space; 0 if they do not fit. */
function encodeWords(text: string): number {
  const { read, written } = ENCODER.encodeInto(text, SCRATCH);
  if (read < text.length || written > SCRATCH.length - 16) return 0;
  SCRATCH.fill(0, written, written + 16);
  return ((written + 15) >>> 4) << 2;
}

/** Whether an `If-None-Match` header names this tag, by weak comparison, or is `*`. */
export function noneMatchFails(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag || trimField(header) === "*") return true;
  // An opaque tag has no quote inside, so a tag of ours in the list is there with both of its quotes.
  const at = header.indexOf(etag);
  return at >= 0 && isTagStart(header, at);
}

function isTagStart(header: string, at: number): boolean {
  const before = header.slice(0, at).trimEnd();
  return before === "" || before.endsWith(",") || before.endsWith("W/");
}

/**
 * An answer of JSON text with its entity tag; {@link conditionalAnswer} makes a 304 of it for whoever has that text.
 *
 * @param holds For how long the same request gets the same.
 * @param headers Further headers of the representation.
 * @param variant What they say beyond the text, for {@link strongETag}.
 */
export function representation(
  body: string,
  holds: NonNullable<Answer["holds"]>,
  headers: HeaderFields = {},
  variant = 0,
): Answer {
  const etag = strongETag(body, variant);
  return { status: 200, headers: { ...JSON_FIELDS, etag, ...headers }, body, etag, holds };
}

/** The answer, or 304 with the headers that bear on the stored response (RFC 9110 §15.4.5) if the client has it. */
export function conditionalAnswer(answer: Answer, { headers }: Request): Answer {
  const { etag } = answer;
  if (etag === undefined || !noneMatchFails(headers.get("if-none-match"), etag)) return answer;
  // What describes a body does not bear on it; Link may be new.
  const { "content-type": _type, "x-content-type-options": _options, ...kept } = answer.headers;
  return { status: 304, headers: kept, body: null };
}
