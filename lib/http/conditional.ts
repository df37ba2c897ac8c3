/** Replies with an entity tag, and conditional requests (RFC 9110 §13). */

import { weakETag } from "./entity_tag.ts";
import { type HeaderFields, type Invalidation, JSON_FIELDS, type Reply } from "./reply.ts";
import type { RequestContext } from "./context.ts";

/**
 * A successful reply that has an entity tag and may be kept.
 *
 * The same body with a link has another tag. For example, a client reads pages of two pets:
 *
 * | the store has | body of the first page | header `link`    | tag            |
 * | ------------- | ---------------------- | ---------------- | -------------- |
 * | pets 1 and 2  | pets 1 and 2           | none             | `W/"…"`        |
 * | pets 1 to 3   | pets 1 and 2           | to the next page | `W/"…-linked"` |
 *
 * With one tag for both, a 304 would tell the client that there is still no second page.
 *
 * @param invalidatedBy Which change of the store makes a kept copy stale.
 * @param headers Further headers, such as `link`.
 */
export function taggedReply(body: string, invalidatedBy: Invalidation, headers: HeaderFields = {}): Reply {
  const etag = weakETag(body, headers["link"] !== undefined);
  return { status: 200, headers: { ...JSON_FIELDS, etag, ...headers }, body, etag, invalidatedBy };
}

/** A 304, if the field If-None-Match has the tag of the reply, and otherwise the reply itself (RFC 9110 §13.1.2). */
export function conditionalReply(reply: Reply, context: RequestContext): Reply {
  if (reply.etag === undefined) return reply;
  const known = context.header("if-none-match");
  if (known === null || !listsTag(known, reply.etag)) return reply;
  return { status: 304, headers: withoutBodyFields(reply.headers), body: null };
}

/** Whether a list of entity tags has one, by the weak comparison (RFC 9110 §8.8.3.2). */
function listsTag(header: string, etag: string): boolean {
  if (header.trim() === "*") return true;
  const quoted = quotedPart(etag);
  // A foreign tag may contain commas, but no quotes. So `"a,b"` becomes `"a` and `b"`, and neither is a whole tag.
  return header.split(",").some((element) => quotedPart(element.trim()) === quoted);
}

/** A tag without its `W/`: all that the weak comparison looks at. */
function quotedPart(etag: string): string {
  return etag.replace(/^W\//, "");
}

/**
 * A 304 has no body, so the headers about it are left out. Others, such as Link, may be new to the
 * client (RFC 9110 §15.4.5).
 */
function withoutBodyFields(headers: HeaderFields): HeaderFields {
  const { "content-type": _type, "content-encoding": _coding, "x-content-type-options": _options, ...others } = headers;
  return others;
}
