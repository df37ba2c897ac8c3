/** `If-None-Match` (RFC 9110 §13.1.2). */

import { type Answer, type HeaderFields, JSON_FIELDS } from "./answer.ts";
import { strongETag } from "./entity_tag.ts";
import type { Exchange } from "./exchange.ts";
import { trimField } from "./field_value.ts";

/**
 * An answer with an entity tag, from which {@link conditionalAnswer} can make a 304.
 *
 * @param variant See {@link strongETag}.
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

/** The answer, or 304 if the client already has it. */
export function conditionalAnswer(answer: Answer, exchange: Exchange): Answer {
  const { etag } = answer;
  if (etag === undefined || !noneMatchFails(exchange.header("if-none-match"), etag)) return answer;
  // Without the headers of the body. The others, such as Link, may be new to the client (RFC 9110 §15.4.5).
  const { "content-type": _type, "content-encoding": _coding, "x-content-type-options": _options, ...kept } =
    answer.headers;
  return { status: 304, headers: kept, body: null };
}

/** Whether an `If-None-Match` header is `*` or contains this tag, by weak comparison. */
export function noneMatchFails(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag || trimField(header) === "*") return true;
  // A tag contains no quotes, so searching for it with its own two quotes finds only whole tags.
  const at = header.indexOf(etag);
  return at >= 0 && isTagStart(header, at);
}

function isTagStart(header: string, at: number): boolean {
  const before = header.slice(0, at).trimEnd();
  return before === "" || before.endsWith(",") || before.endsWith("W/");
}
