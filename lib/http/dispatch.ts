/** From a table of routes to answers: methods, HEAD, OPTIONS, and failures that still carry the route's headers. */

import { excerpt } from "../json.ts";
import { attempt, chain, type Pending } from "../pending.ts";
import { type Answer, extendResponse, type HeaderFields, toResponse } from "./answer.ts";
import { conditionalAnswer } from "./conditional.ts";
import { HttpError } from "./errors.ts";
import { createRouter, type Route, splitUrl } from "./routing.ts";

/** What an operation gets of a request. */
export interface Call {
  request: Request;
  /** The query component, without its question mark. */
  query: string;
  /** The path's parameter, percent-encoded only where it cannot be decoded. */
  parameter: string;
}

/** What is answered: our own, or a foreign response that is passed on. */
export type Reply = Answer | Response;

/** Answers a call; an {@link HttpError} that it throws is answered too, but takes longer than one that it returns. */
export type Operation = (call: Call) => Pending<Reply>;

/** The answer to whatever was thrown. */
export type FailureHandler = (thrown: unknown, request: Request) => Answer;

/** A path and what can be done there. HEAD and OPTIONS need no mention. */
export interface OperationRoute extends Route {
  methods: Record<string, Operation>;
  /** Carried by every answer of the route, the failures included. */
  headers?: HeaderFields;
}

interface PreparedRoute extends Route {
  methods: ReadonlyMap<string, Operation>;
  allow: HeaderFields;
  headers: HeaderFields | undefined;
}

/** Answers a request by its route, or with 404 if it has none. */
export type Dispatcher = (request: Request) => Pending<Reply>;

/** Makes a dispatcher for routes below `basePath`. */
export function createDispatcher(
  basePath: string,
  routes: readonly OperationRoute[],
  onFailure: FailureHandler,
): Dispatcher {
  const findRoute = createRouter(basePath, routes.map(prepare));
  return (request) => {
    const { path, query } = splitUrl(request.url);
    const match = findRoute(path);
    if (!match) return notFound(path);
    const { route, parameter } = match;
    const operation = selectOperation(route, request.method);
    const call = { request, query, parameter };
    const { headers } = route;
    if (headers === undefined) return operation(call);
    const reply = attempt<Reply>(() => operation(call), (thrown) => onFailure(thrown, request));
    return chain(reply, (reply) => extendReply(reply, headers));
  };
}

function notFound(path: string): Answer {
  return new HttpError("route_not_found", `There is nothing at ${JSON.stringify(excerpt(path))}`).toAnswer();
}

function prepare(route: OperationRoute): PreparedRoute {
  const { path, methods } = route;
  const names = Object.keys(methods).flatMap((name) => name === "GET" ? ["GET", "HEAD"] : [name]);
  // A map, so that a method called `constructor` is as unknown as any other.
  return {
    path,
    methods: new Map(Object.entries(methods)),
    allow: { allow: [...names, "OPTIONS"].join(", ") },
    // Its own: what somebody put on Object.prototype is no header of ours.
    headers: Object.hasOwn(route, "headers") ? route.headers : undefined,
  };
}

function selectOperation({ methods, allow }: PreparedRoute, method: string): Operation {
  const operation = methods.get(method === "HEAD" ? "GET" : method);
  if (operation) return operation;
  if (method === "OPTIONS") return () => ({ status: 204, headers: allow, body: null });
  return () => new HttpError("method_not_allowed", `Method ${excerpt(method)} is not allowed here`, allow).toAnswer();
}

/** A reply with further headers. */
export function extendReply(reply: Reply, headers: HeaderFields): Reply {
  if (reply instanceof Response) return extendResponse(reply, headers);
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** The response for a reply, as the request's method and conditions want it. */
export function finish(reply: Reply, request: Request): Response {
  if (!(reply instanceof Response)) return toResponse(conditionalAnswer(reply, request), request.method);
  if (request.method !== "HEAD") return reply;
  // Nobody will read it, and where it comes from must know.
  reply.body?.cancel().catch(() => {});
  return new Response(null, reply);
}
