/**
 * Cross-origin resource sharing (Fetch, section 3.2): which pages of other origins may use the API. It answers preflights before the key is
 * checked, because browsers send them without one, and adds the fields that permit a page to read a response.
 */

import { extendReply, type HeaderFields, KeptReply, type Reply, withHeaders } from "./reply.ts";
import type { RequestContext } from "./context.ts";

/** The option `cors`. */
export interface CorsOptions {
  /** Origins such as `https://app.example`, or `["*"]` for all. At least one. */
  origins: readonly string[];
}

export interface Cors {
  /** The reply to a preflight; see {@link isPreflight}. It grants nothing to an origin that is not listed. */
  preflight(context: RequestContext): Reply;
  /** Adds the fields by which a browser permits or refuses the response to a page. */
  extend(reply: Reply, context: RequestContext): Reply;
}

export const ALLOW_ORIGIN = "access-control-allow-origin";
const VARY: HeaderFields = { vary: "Origin" };

/** The response fields of the service that a page may read. Browsers show a page no others but a few, such as Content-Type. */
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
  "petstore-fault",
];

/**
 * The reply to a preflight of an origin that is not permitted. It has no field that grants something, so the browser tells the page's author
 * that `Access-Control-Allow-Origin` is missing. A 401 would lead the author to the key, which no preflight has.
 */
export const REFUSED_PREFLIGHT: Reply = { status: 204, headers: {}, body: null };

/** Whether a request is what a browser sends before a request of a page of another origin. */
export function isPreflight(context: RequestContext): boolean {
  return context.method === "OPTIONS" && context.header("access-control-request-method") !== null &&
    context.header("origin") !== null;
}

/** @param origins Origins that {@link areOrigins} has accepted. */
export function createCors(origins: CorsOptions["origins"], methods: Iterable<string>): Cors {
  const preflightFields: HeaderFields = {
    // A preflight has no key, so it must not learn which paths there are: it is told the same methods for each.
    "access-control-allow-methods": Array.from(new Set(methods)).join(", "),
    // What a request may have that changes the response, and what tracing in browsers adds to each request.
    "access-control-allow-headers":
      "Authorization, Content-Type, Idempotency-Key, If-None-Match, Traceparent, Tracestate, X-Request-Id",
    // The longest time that Chromium accepts.
    "access-control-max-age": "7200",
  };
  // There is no `Access-Control-Allow-Credentials`, so no page can use a visitor's cookies.
  const grantsToAny = isAny(origins) ? { [ALLOW_ORIGIN]: "*" } : undefined;
  const grantsByOrigin = new Map(origins.map((origin) => [origin, { ...VARY, [ALLOW_ORIGIN]: origin }]));

  /**
   * The header fields that permit an origin to read a response, or only `Vary` if the origin may not. Each call for one origin returns the
   * same object, because a kept reply keeps one variant for each object.
   */
  function grantsOf(context: RequestContext): HeaderFields {
    if (grantsToAny) return grantsToAny;
    return grantsByOrigin.get(context.header("origin") ?? "") ?? VARY;
  }

  function preflight(context: RequestContext): Reply {
    const isPermitted = ALLOW_ORIGIN in grantsOf(context);
    // The field that names the origin is added by `extend()`, as it is to every reply.
    return isPermitted ? { ...REFUSED_PREFLIGHT, headers: preflightFields } : REFUSED_PREFLIGHT;
  }

  function extend(reply: Reply, context: RequestContext): Reply {
    // A public operation, such as the description, permits every origin by itself.
    if (Object.hasOwn(reply.headers, ALLOW_ORIGIN)) return reply;
    const fields = grantsOf(context);
    // For speed, a kept reply with the fields of CORS is made once, and is kept too.
    return reply instanceof KeptReply ? reply.variantWith(fields, () => grant(reply, fields)) : grant(reply, fields);
  }

  return { preflight, extend };
}

/**
 * Adds the fields of CORS to a reply, joins its `Vary` with theirs, and lists the fields that the page may read. The names of all fields are
 * in lower case.
 *
 * @param fields The result of `grantsOf()`.
 */
function grant(reply: Reply, fields: HeaderFields): Reply {
  const { headers, body } = reply;
  const added: Record<string, string> = { ...fields };
  // The reply may have a `Vary` of its own, such as that of a compressed file by Accept-Encoding, which is kept beside `Origin`.
  if (headers["vary"] && fields["vary"]) added["vary"] = `${headers["vary"]}, ${fields["vary"]}`;
  // A `Response` of the app, from `handleStoreOrders`, has headers of its own.
  const appResponse = body instanceof Response ? body : undefined;
  const names = [...Object.keys(headers), ...appResponse?.headers.keys() ?? []];
  const exposed = names.filter((name) => EXPOSED_FIELDS.includes(name)).join(", ");
  if (exposed && fields[ALLOW_ORIGIN]) added["access-control-expose-headers"] = exposed;
  return extendReply(appResponse ? { ...reply, body: withoutGrants(appResponse) } : reply, added);
}

/** The app's response without its own fields of CORS, because browsers refuse a response that has them twice. */
function withoutGrants(response: Response): Response {
  const given = [...response.headers];
  const headers = given.filter(([name]) => !name.startsWith("access-control-allow-"));
  return headers.length === given.length ? response : withHeaders(response, headers);
}

/**
 * An address whose origin a URL parser knows. `file:` is among them so that it is refused: the origin of such an address is `null`, which is
 * not what was given.
 */
const ADDRESS_OF_PAGE = /^(?:https?|file):/;

/**
 * The origin of an app shell or a browser extension, as it is sent: `capacitor://localhost`, `tauri://localhost` or
 * `chrome-extension://…`. URL parsers know no origin for these schemes.
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
  return ADDRESS_OF_PAGE.test(origin) ? URL.parse(origin)?.origin === origin : ORIGIN_OF_SHELL.test(origin);
}

function isAny(origins: CorsOptions["origins"]): boolean {
  return origins.length === 1 && origins[0] === "*";
}
