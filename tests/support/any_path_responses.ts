/** Answers that any path may give. They belong to no operation, so the description has them in words alone. */

import type { ErrorCode } from "../../lib/error_codes.ts";
import { Problem } from "../../lib/http/problem.ts";
import { referTo } from "../../lib/openapi/headers.ts";
import { bodiless, failure, failureSchema } from "../../lib/openapi/responses.ts";
import type { JsonObject } from "../../mod.ts";

const ALLOW: JsonObject = { required: true, schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" } };

const NOT_FOUND = createGroup("route_not_found");
const NOT_ALLOWED = { ...createGroup("method_not_allowed"), headers: { Allow: ALLOW } };

/** The description with these answers among its components. Throws where it does not speak of them. */
export function withAnyPathResponses(description: JsonObject): JsonObject {
  const { schemas, responses, ...components } = description["components"] as Record<string, JsonObject>;
  const words = String((description["info"] as JsonObject)["description"]);
  for (const said of ["HEAD", "OPTIONS", "204", "`Allow`", "405", "`method_not_allowed`", "404", "`route_not_found`"]) {
    if (!words.includes(said)) throw new Error(`The description does not speak of ${said}`);
  }
  // As in all other failures.
  const headers = components["headers"]?.["RequestId"] ? referTo(["RequestId"]) : {};
  const more = {
    RouteNotFound: failure({ ...NOT_FOUND, headers }),
    MethodNotAllowed: failure({ ...NOT_ALLOWED, headers: { ...NOT_ALLOWED.headers, ...headers } }),
    AllowedMethods: { ...bodiless("", []), headers: { Allow: ALLOW } },
    ...(words.includes("Preflights") ? { Preflight: bodiless("", []) } : {}),
  };
  const errors = Object.fromEntries([NOT_FOUND, NOT_ALLOWED].map((group) => [group.schema, failureSchema(group)]));
  return {
    ...description,
    components: { ...components, schemas: { ...schemas, ...errors }, responses: { ...responses, ...more } },
  };
}

function createGroup(code: ErrorCode) {
  return { schema: `${code}_Error`, reason: "", errors: [new Problem(code, "")] };
}
