/** `If-None-Match` (RFC 9110 §13.1.2). */

import { type Answer, type HeaderFields, JSON_FIELDS } from "./answer.ts";
import { strongETag } from "./entity_tag.ts";
import type { Exchange } from "./exchange.ts";
import { trimField } from "./field_value.ts";

/**
 * An answer of text with its entity tag, from which {@link conditionalAnswer} can make a 304.
 *
 * @param holds For how long the same request gets the same answer.
 * @param headers Further headers of the representation.
 * @param variant Tells representations apart that differ in their headers alone, for {@link strongETag}.
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

/** The answer, or 304 if the client has it already. */
export function conditionalAnswer(answer: Answer, exchange: Exchange): Answer {
  const { etag } = answer;
  if (etag === undefined || !noneMatchFails(exchange.header("if-none-match"), etag)) return answer;
  // The headers of the body stay out; Link may be new to the client (RFC 9110 §15.4.5).
  const { "content-type": _type, "content-encoding": _coding, "x-content-type-options": _options, ...kept } =
    answer.headers;
  return { status: 304, headers: kept, body: null };
}

/** Whether an `If-None-Match` header names this tag, by weak comparison, or is `*`. */
export function noneMatchFails(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag || trimField(header) === "*") return true;
  // A tag has no quote inside, so one of ours in a list stands there with both of its quotes.
  const at = header.indexOf(etag);
  return at >= 0 && isTagStart(header, at);
}

function isTagStart(header: string, at: number): boolean {
  const before = header.slice(0, at).trimEnd();
  return before === "" || before.endsWith(",") || before.endsWith("W/");
}
