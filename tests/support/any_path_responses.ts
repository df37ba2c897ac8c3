/** Responses that any path may give. They belong to no operation, so the description has them in words alone. */

import { ERROR_STATUS, type ErrorCode } from "../../lib/error_codes.ts";
import type { Known } from "../../lib/known.ts";
import type { JsonObject } from "../../lib/json_types.ts";

const ALLOW: JsonObject = { Allow: { required: true, schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" } } };

/** Of a path whose operations are all deprecated. The HTTP contract has where they are. */
const DEPRECATION: JsonObject = Object.fromEntries(["Deprecation", "Sunset", "Link"].map((name) => [name, {}]));

const NO_SNIFF: JsonObject = { "X-Content-Type-Options": { $ref: "#/components/headers/ContentTypeOptions" } };

const WORDS = ["HEAD", "OPTIONS", "204", "`Allow`", "405", "`method_not_allowed`", "404", "`route_not_found`"];

/** These responses by name. Throws where the description does not speak of them. */
export function anyPathResponses(description: JsonObject): Record<string, JsonObject> {
  const words = String((description["info"] as JsonObject)["description"]);
  for (const said of WORDS) if (!words.includes(said)) throw new Error(`The description does not speak of ${said}`);
  // As in all other failures.
  const hasRequestId = JSON.stringify(description).includes("#/components/headers/RequestId");
  const requestId = hasRequestId ? { "X-Request-Id": { $ref: "#/components/headers/RequestId" } } : {};
  return {
    RouteNotFound: failure("route_not_found", requestId),
    MethodNotAllowed: failure("method_not_allowed", { ...ALLOW, ...DEPRECATION, ...requestId }),
    AllowedMethods: { headers: { ...ALLOW, ...DEPRECATION } },
    ...(words.includes("Preflights") && { Preflight: {} }),
  };
}

function failure(code: Known<ErrorCode>, headers: JsonObject): JsonObject {
  const properties = { code: { const: code }, status: { const: ERROR_STATUS[code] } };
  const schema = { $ref: "#/components/schemas/Error", properties };
  return { headers: { ...NO_SNIFF, ...headers }, content: { "application/json": { schema } } };
}
