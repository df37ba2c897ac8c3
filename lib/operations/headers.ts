/** The descriptions of the headers of responses. */

import { MISSING_KEY } from "../access/bearer.ts";
import { JSON_FIELDS } from "../http/reply.ts";
import { ENCODED, NOT_JSON } from "../http/body.ts";
import { MAX_REQUEST_ID } from "../http/request_id.ts";
import type { JsonObject } from "../json_types.ts";

/** The headers of responses, by their names in `components.headers`. */
export const HEADERS = {
  ETag: header("ETag", "Strong entity tag of the representation (RFC 9110 §8.8.3), for `If-None-Match`.", {
    pattern: '^"[0-9]+-[0-9]+-[0-9a-z]+-[0-9a-z]+"$',
  }),
  NextPage: optional("Link", 'The next page (RFC 8288): a URL reference with `rel="next"`. Absent on the last page.', {
    pattern: '^<[^<>]+>; rel="next"$',
  }),
  Location: header("Location", "The created pet (RFC 9110 §10.2.2).", { pattern: "/pets/[1-9][0-9]*$" }),
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
  RateLimit: optional(
    "RateLimit",
    "How many requests are left, and the seconds until there is one more (draft-ietf-httpapi-ratelimit-headers-11). Sent when " +
      "less than half is left.",
    { pattern: '^"[a-z]+";r=[0-9]+;t=[0-9]+$' },
  ),
  RateLimitPolicy: optional("RateLimit-Policy", "How many requests are allowed in how many seconds (the same draft).", {
    pattern: '^"[a-z]+";q=[0-9]+;w=[0-9]+$',
  }),
  ContentTypeOptions: header("X-Content-Type-Options", "Browsers must believe the Content-Type (Fetch standard).", {
    const: JSON_FIELDS["x-content-type-options"]!,
  }),
  AcceptEncoding: optional(
    "Accept-Encoding",
    "The accepted content codings, sent if the body had one (RFC 9110 §12.5.3).",
    { const: ENCODED.headers["accept-encoding"]! },
  ),
  RequestId: optional(
    "X-Request-Id",
    "Identifies the request in the logs: the one that was sent if it is usable, otherwise a new one.",
    { pattern: `^[!-~]{1,${MAX_REQUEST_ID}}$` },
  ),
  AcceptPost: header("Accept-Post", "The accepted media type.", { const: NOT_JSON.headers["accept-post"]! }),
};

export type HeaderKey = keyof typeof HEADERS;

/** A header of a response. */
export interface Header {
  name: string;
  definition: JsonObject;
}

export function header(name: string, description: string, schema: JsonObject, required = true): Header {
  return { name, definition: { description, required, schema: { type: "string", ...schema } } };
}

function optional(name: string, description: string, schema: JsonObject): Header {
  return header(name, description, schema, false);
}
