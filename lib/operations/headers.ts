/** The descriptions of the headers of responses. */

import { MISSING_KEY } from "../access/refusals.ts";
import { ACCEPT_POST, HAS_CONTENT_CODING } from "../http/body_problems.ts";
import type { JsonObject } from "./json_types.ts";

/** The headers of responses, by their names in `components.headers`. */
export const HEADERS = {
  ETag: header("ETag", "Weak entity tag of the representation (RFC 9110 §8.8.3), for `If-None-Match`.", {
    pattern: '^W/"[0-9a-f]{24}(-linked)?"$',
  }),
  NextPage: optional("Link", 'The next page (RFC 8288): a URL reference with `rel="next"`. Absent on the last page.', {
    pattern: '^<[^<>]+>; rel="next"$',
  }),
  Deprecation: header("Deprecation", "When the operation was deprecated, in seconds since 1970 (RFC 9745).", {
    pattern: "^@[0-9]+$",
  }),
  Sunset: header("Sunset", "When the operation will be removed, as an HTTP date (RFC 8594).", {
    pattern: "^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$",
  }),
  Successor: header("Link", "The replacement of the operation (RFC 5829).", {
    pattern: '^<[^<>]+>; rel="successor-version"$',
  }),
  Location: header("Location", "The created animal (RFC 9110 §10.2.2).", { pattern: "/pets/[1-9][0-9]*$" }),
  IdempotencyReplayed: optional(
    "Idempotency-Replayed",
    "An earlier request with this `Idempotency-Key` added the animal.",
    { const: "true" },
  ),
  Challenge: header("WWW-Authenticate", "How to authenticate (RFC 6750 §3).", {
    pattern: `^${MISSING_KEY.headers["www-authenticate"]!}`,
  }),
  RetryAfter: header("Retry-After", "How many seconds to wait before the next try (RFC 9110 §10.2.3).", {
    pattern: "^[0-9]+$",
  }),
  AcceptEncoding: optional(
    "Accept-Encoding",
    "The accepted content codings, sent if the body had one (RFC 9110 §12.5.3).",
    { const: HAS_CONTENT_CODING.headers["accept-encoding"]! },
  ),
  AcceptPost: header("Accept-Post", "The accepted media type.", { const: ACCEPT_POST["accept-post"] }),
};

export type HeaderKey = keyof typeof HEADERS;

/** A header of a response. */
export interface Header {
  name: string;
  definition: JsonObject;
}

function header(name: string, description: string, schema: JsonObject, required = true): Header {
  return { name, definition: { description, required, schema: { type: "string", ...schema } } };
}

function optional(name: string, description: string, schema: JsonObject): Header {
  return header(name, description, schema, false);
}
