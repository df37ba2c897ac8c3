/** The standalone server's page. Its description leaves it out, because that is for programs. */

import { VIEWER_VERSION } from "../../../lib/server/viewer/files.ts";
import type { JsonObject } from "../../../lib/json_types.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const OF_A_TEXT: JsonObject = {
  ETag: header({ type: "string", pattern: '^"[0-9]+-[0-9]+-[0-9a-z]+-[0-9a-z]+"$' }),
  "Cache-Control": header({ const: "no-cache" }),
  "Content-Security-Policy": header({ const: POLICY }),
  "Referrer-Policy": header({ const: "no-referrer" }),
};

/** The page's own scripts. */
export const SCRIPTS = [
  "exact_numbers.js",
  "indent_json.js",
  "kept_key.js",
  "short_failures.js",
  "short_info.js",
  "viewer.js",
] as const;

const OF_A_FILE: JsonObject = {
  ETag: header({ enum: [`"${VIEWER_VERSION}"`, `"${VIEWER_VERSION}-gzip"`] }),
  "Cache-Control": header({ const: "public, max-age=31536000, immutable" }),
  "Content-Encoding": header({ const: "gzip" }, false),
};

const FILES = `/docs/${VIEWER_VERSION}`;

export const PAGE_PATHS: JsonObject = {
  "/": path(redirection("docs")),
  "/docs": path(content("text/html", OF_A_TEXT)),
  "/docs/": path(redirection("../docs")),
  "/docs/viewer.css": path(content("text/css", OF_A_TEXT)),
  ...Object.fromEntries(SCRIPTS.map((name) => [`/docs/${name}`, path(content("text/javascript", OF_A_TEXT))])),
  [`${FILES}/swagger-ui-bundle.js`]: path(content("text/javascript", OF_A_FILE)),
  [`${FILES}/swagger-ui-bundle.js.LICENSE.txt`]: path(content("text/plain", OF_A_FILE)),
  [`${FILES}/swagger-ui.css`]: path(content("text/css", OF_A_FILE)),
};

function path(responses: JsonObject): JsonObject {
  const common = {
    400: { $ref: "#/components/responses/InvalidHost" },
    503: { $ref: "#/components/responses/ServerUnavailable" },
    // When the page is switched off.
    401: { $ref: "#/components/responses/Unauthorized" },
    404: { $ref: "#/components/responses/RouteNotFound" },
  };
  return { servers: [{ url: "/" }], get: { security: [], responses: { ...responses, ...common } } };
}

function redirection(location: string): JsonObject {
  return {
    302: { headers: { Location: header({ const: location }), "Cache-Control": header({ const: "no-cache" }) } },
  };
}

function content(type: string, headers: JsonObject): JsonObject {
  const ofABody = { ...headers, "X-Content-Type-Options": header({ const: "nosniff" }) };
  const text = { schema: { type: "string", minLength: 400 } };
  return { 200: { headers: ofABody, content: { [`${type}; charset=utf-8`]: text } }, 304: { headers } };
}

function header(schema: JsonObject, required = true): JsonObject {
  return { required, schema };
}
