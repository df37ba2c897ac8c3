/** What the standalone server answers: its description, and what that leaves out because it is for programs. */

import { withSamples } from "../../../lib/server/service/code_samples.ts";
import { VIEWER_VERSION } from "../../../lib/server/viewer/files.ts";
import type { JsonObject } from "../../../lib/operations/json_types.ts";
import type { PetstoreOptions } from "../../../mod.ts";
import { serverOpenApiOf } from "../descriptions.ts";
import { createResponseValidator, type ResponseValidator, type SeenResponse } from "../openapi_validator.ts";

/** The options that a server has by default. */
export const OPTIONS: Partial<PetstoreOptions> = { requestIds: "failures" };

/** The page's own scripts. */
export const SCRIPTS = ["exact_numbers", "indent_json", "kept_key", "labels", "short_failures", "short_info", "viewer"]
  .map((name) => `/docs/${name}.js`);

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const NO_CACHE = header({ const: "no-cache" });

const OF_A_TEXT: JsonObject = {
  ETag: header({ type: "string", pattern: '^W/"[a-p]{24}"$' }),
  "Cache-Control": NO_CACHE,
  "Content-Security-Policy": header({ const: POLICY }),
  "Referrer-Policy": header({ const: "no-referrer" }),
};

const OF_A_FILE: JsonObject = {
  ETag: header({ enum: [`"${VIEWER_VERSION}"`, `"${VIEWER_VERSION}-gzip"`] }),
  "Cache-Control": header({ const: "public, max-age=31536000, immutable" }),
  "Content-Encoding": header({ const: "gzip" }, false),
};

const FILES = `/docs/${VIEWER_VERSION}`;

const PAGE: JsonObject = {
  "/": pagePath({ 302: redirection("docs") }),
  "/docs": pagePath(text("text/html", OF_A_TEXT)),
  "/docs/": pagePath({ 302: redirection("../docs") }),
  "/docs/viewer.css": pagePath(text("text/css", OF_A_TEXT)),
  ...Object.fromEntries(SCRIPTS.map((path) => [path, pagePath(text("text/javascript", OF_A_TEXT))])),
  [`${FILES}/swagger-ui-bundle.js`]: pagePath(text("text/javascript", OF_A_FILE)),
  [`${FILES}/swagger-ui-bundle.js.LICENSE.txt`]: pagePath(text("text/plain", OF_A_FILE)),
  [`${FILES}/swagger-ui.css`]: pagePath(text("text/css", OF_A_FILE)),
};

const ETAG = { ETag: { $ref: "#/components/headers/ETag" } };
const DESCRIPTION = serverOpenApiOf(OPTIONS);

/** These are as strict as possible: otherwise a response could drift together with its description. */
const PROGRAMS: JsonObject = {
  "/livez": openPath(json([{ status: "ok" }], {})),
  "/readyz": openPath(json([{ status: "ok" }], {})),
  "/openapi.json": openPath({ ...json([DESCRIPTION, withSamples(DESCRIPTION)], ETAG), 304: { headers: ETAG } }),
};

/** Checks a response of the standalone server against its description or against that of its page. */
export const validateServerResponse: ResponseValidator = createResponseValidator(
  { ...DESCRIPTION, paths: { ...DESCRIPTION["paths"] as JsonObject, ...PROGRAMS, ...PAGE } },
  "/v1",
  nameOnAnyPath,
);

/** Refusals that come before the path: of a head, and while the server shuts down. */
function nameOnAnyPath({ status, headers, text }: SeenResponse): string | undefined {
  // The response to HEAD has no text.
  if (status === 400 && /"code":"(invalid_host|bad_request)"|^$/.test(text)) return "InvalidHead";
  if (status === 408) return "RequestTimeout";
  if (status === 431) return "HeadTooLarge";
  if (status === 503 && headers.get("connection") === "close") return "ServerUnavailable";
  return undefined;
}

/** A path of the page, which needs a key when the page is switched off. */
function pagePath(own: JsonObject): JsonObject {
  return openPath({ 401: refusal("Unauthorized"), 404: refusal("RouteNotFound"), ...own });
}

function openPath(own: JsonObject): JsonObject {
  const responses = { 400: refusal("InvalidHead"), 503: refusal("ServerUnavailable"), ...own };
  return { servers: [{ url: "/" }], get: { security: [], responses } };
}

function refusal(name: string): JsonObject {
  return { $ref: `#/components/responses/${name}` };
}

function redirection(location: string): JsonObject {
  return { headers: { Location: header({ const: location }), "Cache-Control": NO_CACHE } };
}

/** A response with one of these values. */
function json(values: JsonObject[], headers: JsonObject): JsonObject {
  return content("application/json", { enum: values }, headers);
}

function text(type: string, headers: JsonObject): JsonObject {
  return { ...content(`${type}; charset=utf-8`, { type: "string", minLength: 400 }, headers), 304: { headers } };
}

function content(type: string, schema: JsonObject, headers: JsonObject): JsonObject {
  const noSniff = { "X-Content-Type-Options": header({ const: "nosniff" }) };
  return { 200: { headers: { ...headers, ...noSniff }, content: { [type]: { schema } } } };
}

function header(schema: JsonObject, required = true): JsonObject {
  return { required, schema };
}
