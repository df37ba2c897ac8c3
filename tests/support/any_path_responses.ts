/** Responses that any path may give. They belong to no operation, so the description has them in words, or in its list of codes. */

import type { JsonObject } from "../../lib/operations/json_types.ts";

const ALLOW: JsonObject = { Allow: { required: true, schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" } } };

/** The headers of a path whose operations are all deprecated. The HTTP contract has where they are. */
const DEPRECATION: JsonObject = Object.fromEntries(["Deprecation", "Sunset", "Link"].map((name) => [name, {}]));

const RETRY_AFTER: JsonObject = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

/** Of the standalone server, before the operation is known. */
const REFUSALS: Record<string, JsonObject> = {
  InvalidHead: failure(400, ["invalid_host", "bad_request"], {}),
  RequestTimeout: failure(408, ["request_timeout"], {}),
  HeadTooLarge: failure(431, ["head_too_large"], {}),
  ServerUnavailable: failure(503, ["store_unavailable"], RETRY_AFTER),
};

/** Finds these responses by name. Those to preflights are there if the description speaks of them, and refusals of a server if it is its. */
export function anyPathResponses(description: JsonObject): Record<string, JsonObject> {
  const text = JSON.stringify(description);
  return {
    RouteNotFound: failure(404, ["route_not_found"], {}),
    MethodNotAllowed: failure(405, ["method_not_allowed"], { ...ALLOW, ...DEPRECATION }),
    AllowedMethods: { headers: { ...ALLOW, ...DEPRECATION } },
    RefusedPreflight: {},
    ...(text.includes("Preflights") && { Preflight: {} }),
    ...(text.includes("invalid_host") && REFUSALS),
  };
}

function failure(status: number, codes: string[], headers: JsonObject): JsonObject {
  const properties = { code: { enum: codes }, status: { const: status } };
  const schema = { $ref: "#/components/schemas/Error", properties };
  return { headers, content: { "application/json": { schema } } };
}
