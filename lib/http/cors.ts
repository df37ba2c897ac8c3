/** Cross-origin requests (Fetch standard §3.2), granted to listed origins only and never with credentials. */

import type { Answer, HeaderFields } from "./answer.ts";
import { extendReply, type Reply } from "./dispatch.ts";

/** Which web pages may use the API. */
export interface CorsOptions {
  /** Origins such as `https://app.example`, or `["*"]` for every origin. */
  origins: readonly string[];
}

/** What cross-origin requests get. */
export interface Cors {
  /** The answer to a preflight of an allowed origin, or `undefined` if the request is none. */
  preflight(request: Request): Answer | undefined;
  /** The headers that every answer to this request carries. */
  headers(request: Request): HeaderFields;
  /** The reply with those headers, and with no other grant: an app's own response might make a second one of it. */
  extend(reply: Reply, request: Request): Reply;
}

const VARY: HeaderFields = { vary: "Origin" };
const EXPOSED: HeaderFields = {
  "access-control-expose-headers":
    "Link, Location, ETag, Deprecation, Sunset, Retry-After, WWW-Authenticate, Idempotency-Replayed",
};
const PREFLIGHT: HeaderFields = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, If-None-Match",
  // Two hours: the most that Chromium honours.
  "access-control-max-age": "7200",
};

/**
 * @throws {TypeError} If an origin is not one.
 */
export function createCors({ origins }: CorsOptions): Cors {
  const any = origins.length === 1 && origins[0] === "*";
  const allowed = new Set(any ? [] : origins.map(requireOrigin));
  // `*` rather than the origin itself, and never Access-Control-Allow-Credentials: no page rides on a user's cookies.
  const everyone: HeaderFields = { "access-control-allow-origin": "*", ...EXPOSED };

  function headers(request: Request): HeaderFields {
    if (any) return everyone;
    const origin = request.headers.get("origin");
    if (origin === null || !allowed.has(origin)) return VARY;
    return { ...VARY, "access-control-allow-origin": origin, ...EXPOSED };
  }

  function preflight(request: Request): Answer | undefined {
    if (request.method !== "OPTIONS") return undefined;
    const origin = request.headers.get("origin");
    if (origin === null || !request.headers.has("access-control-request-method")) return undefined;
    return any || allowed.has(origin) ? { status: 204, headers: PREFLIGHT, body: null } : undefined;
  }

  function extend(reply: Reply, request: Request): Reply {
    return extendReply(reply instanceof Response ? withoutGrants(reply) : reply, headers(request));
  }

  return { preflight, headers, extend };
}

/** What a page may do; what it may read besides can be listed more than once. */
const GRANT = "access-control-allow-";

function withoutGrants(response: Response): Response {
  const grants = Array.from(response.headers.keys()).filter((name) => name.startsWith(GRANT));
  if (grants.length === 0) return response;
  const headers = new Headers(response.headers);
  for (const name of grants) headers.delete(name);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

function requireOrigin(origin: string): string {
  // A wildcard within an origin means nothing to a browser.
  if (!URL.canParse(origin) || origin.includes("*") || new URL(origin).origin !== origin || origin === "null") {
    throw new TypeError(`CORS origin ${JSON.stringify(origin)} must be an origin such as "https://app.example"`);
  }
  return origin;
}
