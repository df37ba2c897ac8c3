/** Entity tags (RFC 9110 §8.8.3), `If-Match` (§13.1.1) and `If-None-Match` (§13.1.2). */

import { Problem } from "./problem.ts";
import { extendReply, type HeaderFields, JSON_FIELDS, type Reply } from "./reply.ts";
import { encodeWords, type Words } from "./utf8.ts";
import type { RequestContext } from "./context.ts";
import { trimField } from "./field_value.ts";
import { mix } from "../hash.ts";

/**
 * A response with an entity tag, from which {@link conditionalReply} can make a 304.
 *
 * @param variant See {@link strongETag}.
 */
export function representation(
  body: string,
  validUntil: NonNullable<Reply["validUntil"]>,
  headers: HeaderFields = {},
  variant = 0,
): Reply {
  const etag = strongETag(body, variant);
  return { status: 200, headers: { ...JSON_FIELDS, etag, ...headers }, body, etag, validUntil };
}

export const PRECONDITION_FAILED: Problem = /* @__PURE__ */ new Problem(
  412,
  "precondition_failed",
  "No entity tag in If-Match is current",
);

export function isConditional(context: RequestContext): boolean {
  return context.header("if-match") !== null || context.header("if-none-match") !== null;
}

/**
 * Whether an alteration must not happen.
 *
 * @param etag That of the current representation, if there is one.
 */
export function failedCondition(context: RequestContext, etag: string | undefined): Problem | undefined {
  const lists = (header: string) => etag !== undefined && listsTag(header, etag);
  const wanted = context.header("if-match"), unwanted = context.header("if-none-match");
  return wanted !== null && !lists(wanted) || unwanted !== null && lists(unwanted) ? PRECONDITION_FAILED : undefined;
}

/** The response, or 412 if the client wants another one, or 304 if it already has it (in this order: §13.2.2). */
export function conditionalReply(reply: Reply, context: RequestContext): Reply {
  const { etag } = reply;
  if (etag === undefined) return reply;
  const wanted = context.header("if-match");
  if (wanted !== null && !listsTag(wanted, etag)) {
    return extendReply(PRECONDITION_FAILED, context.operationFields);
  }
  const known = context.header("if-none-match");
  if (known === null || !(listsTag(known, etag) || listsTag(known, `W/${etag}`))) return reply;
  // Without the headers of the body. The others, such as Link, may be new to the client (RFC 9110 §15.4.5).
  const { "content-type": _type, "content-encoding": _coding, "x-content-type-options": _options, ...kept } =
    reply.headers;
  return { status: 304, headers: kept, body: null };
}

/** Whether a header is `*`, or lists this tag. */
export function listsTag(header: string, etag: string): boolean {
  if (header === etag || trimField(header) === "*") return true;
  // Another tag may have a comma in it, but no quotes, so none of its parts is equal to a whole tag.
  return header.split(",").some((tag) => trimField(tag) === etag);
}

// The multipliers of xxHash, like the rounds below.
const PRIME_1 = 0x9e3779b1, PRIME_2 = 0x85ebca77, PRIME_3 = 0xc2b2ae3d, PRIME_4 = 0x27d4eb2f;

/**
 * A strong entity tag: the length of the text, the variant, and a 64-bit hash. All servers and runtimes make the same tag,
 * so a client may switch between servers.
 *
 * Servers share no secret, so anyone can compute two texts of one length with the same hash. While operations only add pets, this is
 * of no use: each address has one text, or longer and longer ones, and a last page that gets a successor gets another variant. An
 * operation that alters pets needs a cryptographic hash here: `tests/unit/conditional_test.ts` refuses it.
 *
 * @param variant Distinguishes representations with the same text and different headers.
 */
export function strongETag(text: string, variant = 0): string {
  const [low, high] = hashWords(encodeWords(text));
  const hash = `${mix(low ^ text.length).toString(36)}-${mix(high ^ low).toString(36)}`;
  return `"${text.length}-${variant}-${hash}"`;
}

/** Hashes words in four independent lanes, which a processor can compute in parallel. */
function hashWords({ words, count }: Words): [low: number, high: number] {
  let a = PRIME_1, b = PRIME_2, c = PRIME_3, d = PRIME_4;
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
