/** The response headers of the description. */

import { MISSING_KEY } from "../access/bearer.ts";
import { type HeaderFields, JSON_FIELDS } from "../http/answer.ts";
import { ENCODED, NOT_JSON } from "../http/body.ts";
import { DEPRECATED_SINCE, SUNSET } from "../service/contract.ts";
import type { JsonObject } from "./json_types.ts";

interface Header {
  /** The header's name in a response. */
  name: string;
  description: string;
  schema: JsonObject;
  /** Whether every response that has it must have it: yes unless it is `false`. */
  required?: boolean;
}

/** Every header by its name in `components.headers`. */
const HEADERS = {
  ETag: {
    name: "ETag",
    description: "Strong entity tag of the representation (RFC 9110 §8.8.3), for `If-None-Match`.",
    schema: { type: "string", pattern: '^"[0-9]+-[0-9]+-[0-9a-z]+-[0-9a-z]+"$' },
  },
  NextPage: {
    name: "Link",
    description: 'The next page (RFC 8288): a URL reference with `rel="next"`. Absent on the last page.',
    schema: { type: "string", pattern: '^<[^<>]+>; rel="next"$' },
    required: false,
  },
  Location: {
    name: "Location",
    description: "The created pet (RFC 9110 §10.2.2).",
    schema: { type: "string", pattern: "/pets/[1-9][0-9]*$" },
  },
  IdempotencyReplayed: {
    name: "Idempotency-Replayed",
    description: "An earlier request with this `Idempotency-Key` added the animal.",
    schema: { type: "string", const: "true" },
    required: false,
  },
  Deprecation: {
    name: "Deprecation",
    description: "When the operation was deprecated, in seconds since 1970 (RFC 9745).",
    schema: { type: "string", const: `@${DEPRECATED_SINCE}` },
  },
  Sunset: {
    name: "Sunset",
    description: "When the operation will be removed (RFC 8594), as an HTTP date.",
    schema: { type: "string", const: SUNSET },
  },
  Successor: {
    name: "Link",
    description: "The replacement of the operation (RFC 5829).",
    schema: { type: "string", pattern: '^<[^<>]+>; rel="successor-version"$' },
  },
  Challenge: {
    name: "WWW-Authenticate",
    description: "How to authenticate (RFC 6750 §3).",
    schema: { type: "string", pattern: `^${valueOf(MISSING_KEY.headers, "www-authenticate")}` },
  },
  RetryAfter: {
    name: "Retry-After",
    description: "How many seconds to wait before the next try (RFC 9110 §10.2.3).",
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  ContentTypeOptions: {
    name: "X-Content-Type-Options",
    description: "Browsers must believe the Content-Type (Fetch standard).",
    schema: { type: "string", const: valueOf(JSON_FIELDS, "x-content-type-options") },
  },
  AcceptEncoding: {
    name: "Accept-Encoding",
    description: "The accepted content codings, sent if the body had one (RFC 9110 §12.5.3).",
    schema: { type: "string", const: valueOf(ENCODED.headers, "accept-encoding") },
    required: false,
  },
  AcceptPost: {
    name: "Accept-Post",
    description: "The accepted media type.",
    schema: { type: "string", const: valueOf(NOT_JSON.headers, "accept-post") },
  },
} satisfies Record<string, Header>;

/** The name of a header in `components.headers`. */
export type HeaderKey = keyof typeof HEADERS;

const KEYS = Object.keys(HEADERS) as HeaderKey[];

/** The headers for `components.headers`, without those that no response has. */
export function createHeaders(unused: readonly HeaderKey[]): JsonObject {
  return Object.fromEntries(KEYS.filter((key) => !unused.includes(key)).map((key) => [key, define(HEADERS[key])]));
}

/** The headers of a response that has these. */
export function referTo(keys: readonly HeaderKey[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [HEADERS[key].name, { $ref: `#/components/headers/${key}` }]));
}

/** The headers of a response that may have these, whatever the component says. */
export function referToOptional(keys: readonly HeaderKey[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [HEADERS[key].name, define({ ...HEADERS[key], required: false })]));
}

/** The key of the header with this name in lower case, or `undefined` if the description leaves it out. */
export function findHeader(name: string): HeaderKey | undefined {
  return KEYS.find((key) => HEADERS[key].name.toLowerCase() === name);
}

function define({ description, schema, required = true }: Header): JsonObject {
  return { description, required, schema };
}

function valueOf(fields: HeaderFields, name: string): string {
  const value = fields[name];
  if (value === undefined) throw new TypeError(`There is no header ${name} to describe`);
  return value;
}
