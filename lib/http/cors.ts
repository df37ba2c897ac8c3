/**
 * Cross-origin resource sharing (Fetch, section 3.2): which pages of other origins may use the API.
 * It answers preflights before the key is checked, because browsers send them without one, and adds
 * the fields that permit a page to read a response.
 */

import { extendReply, FAULT_FIELD, type Reply } from "./reply.ts";
import type { RequestContext } from "./context.ts";

/** The option `cors`. */
export interface CorsOptions {
  /** Origins such as `https://app.example`, or `["*"]` for all. At least one. */
  origins: readonly string[];
}

export interface Cors {
  /**
   * The reply to a preflight; see {@link isPreflight}. It grants nothing to an origin that is not
   * listed. As every reply, it gets the fields of {@link withCorsFields}.
   */
  preflight(context: RequestContext): Reply;
  /** The origin that the response permits: that of the request, or `*` for all, or none. */
  permittedOrigin(context: RequestContext): string | undefined;
}

export const ALLOW_ORIGIN = "access-control-allow-origin";
const EXPOSE_HEADERS = "access-control-expose-headers";

/**
 * The response fields of the service that a page may read. Browsers show a page no others but a
 * few, such as Content-Type.
 */
const EXPOSED_FIELDS = [
  "link",
  "location",
  "etag",
  "deprecation",
  "sunset",
  "retry-after",
  "www-authenticate",
  "idempotency-replayed",
  "x-request-id",
  FAULT_FIELD,
];

/**
 * The reply to a preflight of an origin that is not permitted. It has no field that grants
 * something, so the browser tells the page's author that `Access-Control-Allow-Origin` is missing.
 * A 401 would lead the author to the key, which no preflight has.
 */
export const REFUSED_PREFLIGHT: Reply = { status: 204, headers: {}, body: null };

/** Whether a request is what a browser sends before a request of a page of another origin. */
export function isPreflight(context: RequestContext): boolean {
  return context.method === "OPTIONS" && context.header("access-control-request-method") !== null &&
    context.header("origin") !== null;
}

/** @param origins Origins that {@link areOrigins} has accepted. */
export function createCors(origins: CorsOptions["origins"], methods: Iterable<string>): Cors {
  const permittedPreflight: Reply = {
    status: 204,
    headers: {
      // A preflight has no key, so it must not learn which paths there are: it is told the same methods for each.
      "access-control-allow-methods": Array.from(new Set(methods)).join(", "),
      // What a request may have that changes the response, and what tracing in browsers adds to each request.
      "access-control-allow-headers":
        "Authorization, Content-Type, Idempotency-Key, If-None-Match, Traceparent, Tracestate, X-Request-Id",
      // The longest time that Chromium accepts.
      "access-control-max-age": "7200",
    },
    body: null,
  };
  // There is no `Access-Control-Allow-Credentials`, so no page can use a visitor's cookies.
  const permitsAny = isAny(origins);
  const permitted = new Set(origins);

  function permittedOrigin(context: RequestContext): string | undefined {
    if (permitsAny) return "*";
    const origin = context.header("origin");
    return origin !== null && permitted.has(origin) ? origin : undefined;
  }

  return {
    preflight(context) {
      return permittedOrigin(context) === undefined ? REFUSED_PREFLIGHT : permittedPreflight;
    },
    permittedOrigin,
  };
}

/**
 * Adds the fields by which a browser permits or refuses a response to a page. Fields are found by
 * their names in lower case, which every reply of the service has. A reply that permits every
 * origin by itself, as that to `GET /openapi.json`, still does so for an origin that is not
 * permitted here.
 *
 * @param origin What {@link Cors.permittedOrigin} returns.
 */
export function withCorsFields(reply: Reply, origin: string | undefined): Reply {
  const { vary } = reply.headers;
  const added: Record<string, string> = {};
  // Caches keep a response for each origin. A `Vary` of the reply's own, such as that of a compressed file, stays.
  if (origin !== "*") added["vary"] = vary ? `${vary}, Origin` : "Origin";
  if (origin !== undefined) {
    added[ALLOW_ORIGIN] = origin;
    const exposed = EXPOSED_FIELDS.filter((name) => Object.hasOwn(reply.headers, name));
    // A response of the app may expose fields of its own.
    const exposedByApp = reply.headers[EXPOSE_HEADERS];
    if (exposedByApp) exposed.push(exposedByApp);
    if (exposed.length > 0) added[EXPOSE_HEADERS] = exposed.join(", ");
  }
  return extendReply(reply, added);
}

/**
 * The origin of an app shell or a browser extension, as it is sent: `capacitor://localhost`,
 * `tauri://localhost` or `chrome-extension://…`. URL parsers know no origin for these schemes.
 */
const ORIGIN_OF_SHELL = /^[a-z][a-z\d+.-]*:\/\/[a-z\d._-]+(?::\d+)?$/;

/** Whether a value is a list of origins as browsers send them, or `["*"]`. */
export function areOrigins(origins: CorsOptions["origins"]): boolean {
  if (!Array.isArray(origins) || origins.length === 0) return false;
  return isAny(origins) || origins.every(isOrigin);
}

function isOrigin(origin: unknown): boolean {
  // Browsers support no wildcards within an origin.
  if (typeof origin !== "string" || origin.includes("*")) return false;
  // A page from a file sends the origin `null`.
  if (origin.startsWith("file:")) return false;
  if (/^https?:/.test(origin)) return URL.parse(origin)?.origin === origin;
  return ORIGIN_OF_SHELL.test(origin);
}

function isAny(origins: CorsOptions["origins"]): boolean {
  return origins.length === 1 && origins[0] === "*";
}
