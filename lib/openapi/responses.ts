/** The responses and headers of the description. */

import type { ErrorCode } from "../error_codes.ts";
import type { JsonObject } from "./openapi.ts";

/** Headers by the names that `components.headers` has them under. */
export const HEADERS = {
  ETag: header("Strong entity tag of the representation (RFC 9110 §8.8.3), for `If-None-Match`.", {
    type: "string",
    pattern: '^"[0-9]+-[0-9]+-[0-9a-z]+-[0-9a-z]+"$',
  }),
  NextPage: header(
    'The next page (RFC 8288): a relative reference with `rel="next"`. Absent on the last page.',
    { type: "string", pattern: '^<[^<>]+>; rel="next"$' },
    false,
  ),
  Location: header("The created pet (RFC 9110 §10.2.2).", { type: "string", pattern: "/pets/[1-9][0-9]*$" }),
  IdempotencyReplayed: header(
    "The animal was made by an earlier request with this `Idempotency-Key`.",
    { type: "string", const: "true" },
    false,
  ),
  Deprecation: header("Since when the operation is deprecated (RFC 9745).", { type: "string", pattern: "^@[0-9]+$" }),
  Sunset: header("When the operation is to be removed (RFC 8594), as an HTTP date.", {
    type: "string",
    const: "Thu, 05 Dec 2030 00:00:00 GMT",
  }),
  Successor: header("What replaces the operation (RFC 5829).", {
    type: "string",
    pattern: '^<[^<>]+>; rel="successor-version"$',
  }),
  Challenge: header("How to authenticate (RFC 6750 §3).", { type: "string", pattern: '^Bearer realm="petstore"' }),
  RetryAfter: header("After how many seconds to try again (RFC 9110 §10.2.3).", {
    type: "string",
    pattern: "^[0-9]+$",
  }),
  ContentTypeOptions: header("The body is what its Content-Type says (Fetch standard).", {
    type: "string",
    const: "nosniff",
  }),
  AcceptEncoding: header(
    "That no coding is accepted, where the body had one (RFC 9110 §12.5.3).",
    { type: "string", const: "identity" },
    false,
  ),
  AcceptPost: header("The media type that is accepted.", { type: "string", const: "application/json" }),
} satisfies Record<string, JsonObject>;

/** A response's headers: each header's name on the wire, and its name in `components.headers`. */
type HeaderRefs = Record<string, keyof typeof HEADERS>;

/** What every response with a body carries. */
const OF_A_BODY: HeaderRefs = { "X-Content-Type-Options": "ContentTypeOptions" };

const DEPRECATION: HeaderRefs = { Deprecation: "Deprecation", Sunset: "Sunset", Link: "Successor" };

/** A response of the deprecated operation that may come before its route is known, and so without its headers. */
export function perhapsDeprecated(response: JsonObject): JsonObject {
  const optional = Object.entries(DEPRECATION).map(([name, key]) => [name, { ...HEADERS[key], required: false }]);
  return { ...response, headers: { ...response["headers"] as JsonObject, ...Object.fromEntries(optional) } };
}

/** The headers that every response of the deprecated operation adds to its own, the refused keys aside. */
export function deprecated(response: JsonObject): JsonObject {
  return { ...response, headers: { ...response["headers"] as JsonObject, ...references(DEPRECATION) } };
}

/** A response with a body of the named schema. */
export function success(description: string, schema: string, example: JsonObject | JsonObject[], headers: HeaderRefs) {
  return {
    description,
    headers: references({ ...headers, ...OF_A_BODY }),
    content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example } },
  } satisfies JsonObject;
}

/** A response whose body is always this object of strings. */
export function plainSuccess(description: string, example: Record<string, string>): JsonObject {
  // One constant for each member: what generates clients takes a constant object for a value, and not for a type.
  const properties = Object.entries(example).map(([name, value]) => [name, { type: "string", const: value }]);
  const schema: JsonObject = {
    type: "object",
    required: Object.keys(example),
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
  return { description, headers: references(OF_A_BODY), content: { "application/json": { schema, example } } };
}

/** A response without a body. */
export function bodiless(description: string, headers: HeaderRefs): JsonObject {
  return { description, headers: references(headers) };
}

/** A response with an Error body: which codes it can have, and for each the message of a real one. */
export function failure(
  status: number,
  description: string,
  examples: Partial<Record<ErrorCode, string>>,
  headers: HeaderRefs = {},
): JsonObject {
  const codes = Object.entries(examples);
  return {
    description,
    headers: references({ ...headers, ...OF_A_BODY }),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Error" },
            { type: "object", properties: { code: { enum: codes.map(([code]) => code) }, status: { const: status } } },
          ],
        },
        examples: Object.fromEntries(codes.map(([code, message]) => [code, { value: { code, message, status } }])),
      },
    },
  };
}

function header(description: string, schema: JsonObject, required = true): JsonObject {
  return { description, required, schema };
}

function references(headers: HeaderRefs): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, key]) => [name, { $ref: `#/components/headers/${key}` }]),
  );
}
