/** All answers that the standalone server may give. */

import { describeServer } from "../../../lib/server/public_routes.ts";
import type { JsonObject } from "../../../mod.ts";
import { createResponseValidator, type ResponseValidator, type SeenResponse } from "../openapi_validator.ts";
import { PAGE_PATHS } from "./page_description.ts";

/** Holds an answer of the standalone server against its description, or against that of its page. */
export const validateServerAnswer: ResponseValidator = createResponseValidator(describeAll(), "/v1", nameOnAnyPath);

/** The server's description, stricter of itself: whatever else were served, the tests would hold answers against. */
function describeAll(): JsonObject {
  const description = describeServer({});
  const { schemas, ...components } = description["components"] as JsonObject;
  const strict = { ...schemas as JsonObject, OpenApi: { const: describeServer({}) } };
  const paths = { ...description["paths"] as JsonObject, ...PAGE_PATHS };
  return { ...description, paths, components: { ...components, schemas: strict } };
}

/** Refusals that come before the path: of a Host header, and of a server that is about to end. */
function nameOnAnyPath({ status, headers, text }: SeenResponse): string | undefined {
  if (status === 400 && text.includes('"code":"invalid_host"')) return "InvalidHost";
  if (status === 503 && headers.get("connection") === "close") return "ServerUnavailable";
  return undefined;
}
