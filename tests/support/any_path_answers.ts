/** Answers that any path may give: the description names them in words alone, since they belong to no operation. */

import type { JsonObject } from "../../mod.ts";
import { bodiless, failure } from "../../lib/openapi/responses.ts";

const ALLOW: JsonObject = { required: true, schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" } };

/** The description with these answers among its components. Throws where it does not speak of them. */
export function withAnyPathAnswers(description: JsonObject): JsonObject {
  const components = description["components"] as JsonObject;
  const words = String((description["info"] as JsonObject)["description"]);
  for (const said of ["HEAD", "OPTIONS", "204", "`Allow`", "405", "`method_not_allowed`", "404", "`route_not_found`"]) {
    if (!words.includes(said)) throw new Error(`The description does not speak of ${said}`);
  }
  const responses = {
    ...components["responses"] as JsonObject,
    RouteNotFound: failure(404, "", { route_not_found: "" }),
    MethodNotAllowed: withAllow(failure(405, "", { method_not_allowed: "" })),
    AllowedMethods: withAllow(bodiless("", {})),
    ...(words.includes("Preflights") ? { Preflight: bodiless("", {}) } : {}),
  };
  return { ...description, components: { ...components, responses } };
}

function withAllow(response: JsonObject): JsonObject {
  return { ...response, headers: { ...response["headers"] as JsonObject, Allow: ALLOW } };
}
