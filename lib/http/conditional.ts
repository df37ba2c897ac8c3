import { Problem } from "./problem.ts";
import { extendReply, type HeaderFields, JSON_FIELDS, type Reply } from "./reply.ts";
import { encodeWords, type Words } from "./utf8.ts";
import type { RequestContext } from "./context.ts";
import { trimField } from "./field_value.ts";
import { mix } from "../hash.ts";

export function representation(
  body: string,
  validUntil: NonNullable<Reply["validUntil"]>,
  headers: HeaderFields = {},
  variant: 0 | 1 = 0,
): Reply {
  const etag = strongETag(body, variant);
  return { status: 200, headers: { ...JSON_FIELDS, etag, ...headers }, body, etag, validUntil };
}

export const PRECONDITION_FAILED: Problem = /* @__PURE__ */ new Problem(
  412,
  "precondition_failed",
  "No entity tag in If-Match is current",
);

/** `If-Match` comes first (RFC 9110 §13.2.2). Only `If-None-Match` compares weakly (§13.1). */
export function failedCondition(
  context: RequestContext,
  etag: string | undefined,
): 412 | 304 | undefined {
  const lists = (header: string, prefix = "") => etag !== undefined && listsTag(header, prefix + etag);
  const wanted = context.header("if-match"), known = context.header("if-none-match");
  if (wanted !== null && !lists(wanted)) return 412;
  return known !== null && (lists(known) || lists(known, "W/")) ? 304 : undefined;
}

export function conditionalReply(reply: Reply, context: RequestContext): Reply {
  const failed = reply.etag && failedCondition(context, reply.etag);
  if (!failed) return reply;
  // Own members only: an extended Object.prototype is no reply.
  const { operationFields } = { operationFields: {}, ...reply };
  if (failed === 412) return extendReply(PRECONDITION_FAILED, operationFields);
  // Other headers, such as Link, may be new to the client (RFC 9110 §15.4.5).
  const { "content-type": _type, "content-encoding": _coding, "x-content-type-options": _options, ...kept } =
    reply.headers;
  return { status: failed, headers: kept, body: null };
}

export function listsTag(header: string, etag: string): boolean {
  if (trimField(header) === "*") return true;
  // A tag may contain commas but no quotes, so no part of it equals another.
  return header.split(",").some((tag) => trimField(tag) === etag);
}

// From xxHash.
const PRIME_1 = 0x9e3779b1, PRIME_2 = 0x85ebca77, PRIME_3 = 0xc2b2ae3d, PRIME_4 = 0x27d4eb2f;

/** Of an entity tag: letters in quotes. */
const codes = /* @__PURE__ */ Array<number>(26).fill(0x22);

/**
 * Equal on all servers. Not cryptographic: operations that alter pets need another (docs/decisions.md), and a test refuses them.
 *
 * @param variant For the same text with other headers.
 */
export function strongETag(text: string, variant: 0 | 1 = 0): string {
  const [low, high] = hashWords(encodeWords(text));
  const bits = [2 * text.length + variant, mix(low ^ text.length), mix(high ^ low)];
  // A shift counts modulo 32.
  for (let i = 0; i < 24; i++) codes[i + 1] = 0x61 + (bits[i >> 3]! >>> 4 * i & 15);
  // V8 keeps joined texts as trees: 1.5 µs more.
  return String.fromCharCode(...codes);
}

/** In four independent lanes, which a processor computes in parallel. */
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
