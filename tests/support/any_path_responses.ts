/** Responses that any path may give. They belong to no operation, so the description has them in words alone. */

import type { ErrorCode } from "../../lib/error_codes.ts";
import { Problem } from "../../lib/http/problem.ts";
import { referTo } from "../../lib/openapi/headers.ts";
import { failureSchema, renderFailure, renderSuccess } from "../../lib/openapi/responses.ts";
import { ERROR_STATUS } from "../../lib/error_codes.ts";
import type { JsonObject } from "../../lib/json_types.ts";

const ALLOW: JsonObject = { required: true, schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" } };

/** Of a path whose operations are all deprecated. The HTTP contract has where they are. */
const DEPRECATION: JsonObject = Object.fromEntries(
  ["Deprecation", "Sunset", "Link"].map((name) => [name, { schema: {} }]),
);

const NOT_FOUND = createGroup("route_not_found");
const NOT_ALLOWED = createGroup("method_not_allowed");

/** The description with these responses among its components. Throws where it does not speak of them. */
export function withAnyPathResponses(description: JsonObject): JsonObject {
  const { schemas, responses, ...components } = description["components"] as Record<string, JsonObject>;
  const words = String((description["info"] as JsonObject)["description"]);
  for (const said of ["HEAD", "OPTIONS", "204", "`Allow`", "405", "`method_not_allowed`", "404", "`route_not_found`"]) {
    if (!words.includes(said)) throw new Error(`The description does not speak of ${said}`);
  }
  // As in all other failures.
  const headers = components["headers"]?.["RequestId"] ? referTo(["RequestId"]) : {};
  const more = {
    RouteNotFound: renderFailure(NOT_FOUND, headers),
    MethodNotAllowed: renderFailure(NOT_ALLOWED, { Allow: ALLOW, ...DEPRECATION, ...headers }),
    AllowedMethods: renderSuccess({ description: "" }, { Allow: ALLOW, ...DEPRECATION }),
    ...(words.includes("Preflights") ? { Preflight: renderSuccess({ description: "" }, {}) } : {}),
  };
  const errors = Object.fromEntries([NOT_FOUND, NOT_ALLOWED].map((group) => [group.schema, failureSchema(group)]));
  return {
    ...description,
    components: { ...components, schemas: { ...schemas, ...errors }, responses: { ...responses, ...more } },
  };
}

function createGroup(code: ErrorCode) {
  return { schema: `${code}_Error`, reason: "", errors: [new Problem(ERROR_STATUS[code], code, "")] };
}
