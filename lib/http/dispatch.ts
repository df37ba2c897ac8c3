/** Dispatches requests by a table of routes. Handles methods, HEAD, OPTIONS, and failures, which also get a route's headers. */

import { excerpt } from "../json.ts";
import { attempt, chain, type MaybePromise } from "../maybe_promise.ts";
import { extendReply, type HeaderFields, type Reply } from "./reply.ts";
import { Problem } from "./problem.ts";
import type { RequestContext } from "./context.ts";
import type { ResponseCache } from "./response_cache.ts";
import { decodePercent } from "./query.ts";

/** The input of an operation. */
export interface Call {
  context: RequestContext;
  /** Without the question mark. */
  query: string;
  /** Percent-decoded if possible. */
  parameter: string;
}

/** Answers a call. It may throw a {@link Problem}, but returning the error's answer is faster. */
export type Operation = (call: Call) => MaybePromise<Reply>;

/** FairQueue a thrown value into a response. */
export type FailureHandler = (thrown: unknown, context: RequestContext) => Reply;

/** A path and its operations by method. HEAD and OPTIONS are added automatically. */
export interface OperationRoute {
  /** A template that may end in one parameter (`/pets/{petId}`). */
  path: string;
  methods: Record<string, Operation>;
  /** Added to every response of the route, including failures. */
  headers?: HeaderFields;
}

/** Answers a context, or returns `undefined` if no route matches. */
export type Dispatcher = (context: RequestContext) => MaybePromise<Reply> | undefined;

interface PreparedRoute {
  path: string;
  /** With the base path. */
  template: string;
  methods: ReadonlyMap<string, Operation>;
  allow: HeaderFields;
  headers: HeaderFields | undefined;
}

/** @param kept Keeps the answers to GET that say how long they hold. */
export function createDispatcher(
  basePath: string,
  routes: readonly OperationRoute[],
  onFailure: FailureHandler,
  kept?: ResponseCache,
): Dispatcher {
  const findRoute = createRouter(basePath, routes.map((route) => prepare(route, basePath)));
  return (context) => {
    const { method } = context;
    const { path, query } = splitTarget(context.target);
    const match = findRoute(path);
    if (!match) return undefined;
    const { route, parameter } = match;
    context.route = route.template;
    const operation = route.methods.get(method);
    if (!operation) return withoutOperation(route, method);
    const call = { context, query, parameter };
    const since = method === "GET" ? kept?.now() : undefined;
    const { headers } = route;
    // Not attempt() and chain(): their two promises would cost a create about 0.1 µs on Deno.
    if (!since && !headers) return operation(call);
    const made = attempt(() => operation(call), (thrown) => onFailure(thrown, context));
    return chain(made, (reply) => {
      const whole = headers ? extendReply(reply, headers) : reply;
      if (since) kept?.keep(context.targetKey, { ...whole, route: route.template }, since);
      return whole;
    });
  };
}

function prepare(route: OperationRoute, basePath: string): PreparedRoute {
  const named = Object.entries(route.methods).flatMap(([name, operation]): [string, Operation][] =>
    name === "GET" ? [[name, operation], ["HEAD", operation]] : [[name, operation]]
  );
  return {
    path: route.path,
    template: basePath + route.path,
    // A map, because an object has members such as `constructor`.
    methods: new Map(named),
    allow: { allow: [...named.map(([name]) => name), "OPTIONS"].join(", ") },
    // Own members only: Object.prototype may have been extended.
    headers: Object.hasOwn(route, "headers") ? route.headers : undefined,
  };
}

function withoutOperation({ allow, headers }: PreparedRoute, method: string): Reply {
  const reply: Reply = method === "OPTIONS"
    ? { status: 204, headers: allow, body: null }
    : new Problem("method_not_allowed", `Method ${excerpt(method)} is not allowed here`, allow).toReply();
  return headers ? extendReply(reply, headers) : reply;
}

/** The path and query of a URL; `""` if it has no path. */
export function targetOf(url: string): string {
  const colon = url.indexOf("://");
  // On Bun, the URL is only a path if the Host header is invalid.
  if (colon < 0 || url.startsWith("/")) return "";
  const start = url.indexOf("/", colon + 3);
  const question = url.indexOf("?");
  const fragment = url.indexOf("#");
  // A slash after a question mark belongs to the query.
  if (start < 0 || (question >= 0 && question < start) || (fragment >= 0 && fragment < start)) return "";
  return fragment < 0 ? url.slice(start) : url.slice(start, fragment);
}

/** Splits a target into the path and the query, which loses its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const question = target.indexOf("?");
  if (question < 0) return { path: target, query: "" };
  return { path: target.slice(0, question), query: target.slice(question + 1) };
}

/** A matching route, and its parameter (`""` if it has none). */
interface Match<R> {
  route: R;
  parameter: string;
}

/** Finds the route of a path below `basePath` by comparing strings: `new URL` alone would cost a tenth of a whole response. */
export function createRouter<R extends { path: string }>(
  basePath: string,
  routes: readonly R[],
): (path: string) => Match<R> | undefined {
  const fixed = new Map<string, Match<R>>();
  const open: { prefix: string; route: R }[] = [];
  const slashes = Math.max(...routes.map(({ path }) => countSlashes(basePath + path, Infinity)));
  for (const route of routes) {
    const brace = route.path.indexOf("{");
    if (brace < 0) fixed.set(basePath + route.path, { route, parameter: "" });
    else open.push({ prefix: basePath + route.path.slice(0, brace), route });
  }

  function match(path: string): Match<R> | undefined {
    const found = fixed.get(path);
    if (found) return found;
    for (const { prefix, route } of open) {
      if (path.length > prefix.length && path.startsWith(prefix) && !path.includes("/", prefix.length)) {
        return { route, parameter: path.slice(prefix.length) };
      }
    }
    return undefined;
  }

  return (path) => {
    if (!path.includes("%")) return match(path);
    const plain = unescapePath(path, slashes);
    return plain === undefined ? undefined : match(plain);
  };
}

/**
 * Decodes percent-encoding in a path (RFC 3986 §6.2.2.2), except in a segment that is malformed or has an encoded slash.
 * Returns `undefined` if there are more slashes than in any route: each malformed segment costs an exception.
 */
function unescapePath(path: string, maxSlashes: number): string | undefined {
  if (countSlashes(path, maxSlashes + 1) > maxSlashes) return undefined;
  return path.split("/").map((segment) => {
    const decoded = segment.includes("%") ? decodePercent(segment) : segment;
    return decoded === undefined || decoded.includes("/") ? segment : decoded;
  }).join("/");
}

/** Counts slashes, up to `enough`. */
function countSlashes(path: string, enough: number): number {
  let count = 0;
  for (let at = path.indexOf("/"); at >= 0 && count < enough; at = path.indexOf("/", at + 1)) count++;
  return count;
}
