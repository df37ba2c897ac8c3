/** Responses that any path may give. They belong to no operation, so the description has them in words, or in its list of codes. */

import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/operations/json_types.ts";

const ALLOW: JsonObject = { Allow: { required: true, schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" } } };

/** The headers of a path whose operations are all deprecated. The HTTP contract has where they are. */
const DEPRECATION: JsonObject = Object.fromEntries(["Deprecation", "Sunset", "Link"].map((name) => [name, {}]));

const RETRY_AFTER: JsonObject = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

const WORDS = ["405 `method_not_allowed`", "404 `route_not_found`"];

/** Of the standalone server, before the operation is known. */
const REFUSALS: Record<string, JsonObject> = {
  InvalidHead: failure(400, ["invalid_host", "bad_request"], {}),
  RequestTimeout: failure(408, ["request_timeout"], {}),
  HeadTooLarge: failure(431, ["head_too_large"], {}),
  ServerUnavailable: failure(503, ["store_unavailable"], RETRY_AFTER),
};

/** Finds these responses by name. Throws where the description does not speak of them. */
export function anyPathResponses(description: JsonObject): Record<string, JsonObject> {
  const words = String((description["info"] as JsonObject)["description"]);
  const [spoken, codes] = [words.replaceAll("\n", " "), codesOf(description)];
  for (const said of WORDS) assert.ok(spoken.includes(said), `The description does not speak of ${said}`);
  const isServer = codes.includes("invalid_host");
  if (isServer) {
    for (const code of ["bad_request", "request_timeout", "head_too_large", "store_unavailable"]) {
      assert.ok(codes.includes(code), `The description does not have the code ${code}`);
    }
  }
  return {
    RouteNotFound: failure(404, ["route_not_found"], {}),
    MethodNotAllowed: failure(405, ["method_not_allowed"], { ...ALLOW, ...DEPRECATION }),
    AllowedMethods: { headers: { ...ALLOW, ...DEPRECATION } },
    RefusedPreflight: {},
    ...(words.includes("Preflights") && { Preflight: {} }),
    ...(isServer && REFUSALS),
  };
}

/** The codes that the schema of an Error names. */
function codesOf({ components }: JsonObject): string[] {
  const { schemas } = components as { schemas: { Error: { properties: { code: { examples: string[] } } } } };
  return schemas.Error.properties.code.examples;
}

function failure(status: number, codes: string[], headers: JsonObject): JsonObject {
  const properties = { code: { enum: codes }, status: { const: status } };
  const schema = { $ref: "#/components/schemas/Error", properties };
  return { headers, content: { "application/json": { schema } } };
}
