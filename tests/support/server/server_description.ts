import { renderSuccess } from "../../../lib/openapi/responses.ts";
import type { JsonObject } from "../../../lib/json_types.ts";
import type { HeaderKey } from "../../../lib/operations/headers.ts";
import type { PetstoreOptions } from "../../../mod.ts";
import { serverOpenApiOf } from "../descriptions.ts";
import { createResponseValidator, type ResponseValidator, type SeenResponse } from "../openapi_validator.ts";
import { PAGE_PATHS } from "./page_description.ts";

/** As by default. */
export const OPTIONS: Partial<PetstoreOptions> = { requestIds: "failures" };

const respond = (schema: string | undefined, headers: HeaderKey[]) =>
  renderSuccess({ description: "", headers, ...(schema === undefined ? {} : { schema, example: {} }) }, {});

const OK = respond("Ok", []);

const PUBLIC_PATHS: JsonObject = {
  "/livez": describePublic({ 200: OK }),
  "/readyz": describePublic({ 200: OK }),
  "/openapi.json": describePublic({ 200: respond("OpenApi", ["ETag"]), 304: respond(undefined, ["ETag"]) }),
};

function describePublic(own: JsonObject): JsonObject {
  const responses = {
    400: { $ref: "#/components/responses/InvalidHost" },
    503: { $ref: "#/components/responses/ServerUnavailable" },
    ...own,
  };
  return { servers: [{ url: "/" }], get: { security: [], responses } };
}

/** Checks a response of the standalone server against its description or against that of its page. */
export const validateServerResponse: ResponseValidator = createResponseValidator(
  describeAll(PAGE_PATHS),
  "/v1",
  nameOnAnyPath,
);

/** The same for a server with `--no-docs`. */
export function createValidatorWithoutPage(): ResponseValidator {
  return createResponseValidator(describeAll({}), "/v1", nameOnAnyPath);
}

function describeAll(pagePaths: JsonObject): JsonObject {
  const description = serverOpenApiOf(OPTIONS);
  const { schemas, ...components } = description["components"] as JsonObject;
  // As strict as possible: otherwise a response could drift together with its description.
  const strict = {
    ...schemas as JsonObject,
    OpenApi: { const: serverOpenApiOf(OPTIONS) },
    Ok: { const: { status: "ok" } },
  };
  const paths = { ...description["paths"] as JsonObject, ...PUBLIC_PATHS, ...pagePaths };
  return { ...description, paths, components: { ...components, schemas: strict } };
}

/** Refusals that come before the path: of a Host header, and while the server shuts down. */
function nameOnAnyPath({ status, headers, text }: SeenResponse): string | undefined {
  if (status === 400 && text.includes('"code":"invalid_host"')) return "InvalidHost";
  if (status === 503 && headers.get("connection") === "close") return "ServerUnavailable";
  return undefined;
}
