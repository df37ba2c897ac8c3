/** Dispatches requests by a table of routes. Handles methods, HEAD, OPTIONS, and failures, which also get a route's headers. */

import { excerpt } from "../json.ts";
import { attempt, chain, type Pending } from "../pending.ts";
import { type Answer, extendAnswer, type HeaderFields } from "./answer.ts";
import { HttpError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { KeptAnswers } from "./kept_answers.ts";
import { createRouter, type Route, splitTarget } from "./routing.ts";

/** The input of an operation. */
export interface Call {
  exchange: Exchange;
  /** Without the question mark. */
  query: string;
  /** Percent-decoded if possible. */
  parameter: string;
}

/** Answers a call. It may throw an {@link HttpError}, but returning the error's answer is faster. */
export type Operation = (call: Call) => Pending<Answer>;

/** Turns a thrown value into an answer. */
export type FailureHandler = (thrown: unknown, exchange: Exchange) => Answer;

/** A path and its operations by method. HEAD and OPTIONS are added automatically. */
export interface OperationRoute extends Route {
  methods: Record<string, Operation>;
  /** Added to every answer of the route, including failures. */
  headers?: HeaderFields;
}

/** Answers an exchange, or returns `undefined` if no route matches. */
export type Dispatcher = (exchange: Exchange) => Pending<Answer> | undefined;

interface PreparedRoute extends Route {
  methods: ReadonlyMap<string, Operation>;
  allow: HeaderFields;
  headers: HeaderFields | undefined;
}

/** @param kept Keeps the answers to GET that say how long they hold. */
export function createDispatcher(
  basePath: string,
  routes: readonly OperationRoute[],
  onFailure: FailureHandler,
  kept?: KeptAnswers,
): Dispatcher {
  const findRoute = createRouter(basePath, routes.map(prepare));
  return (exchange) => {
    const { method, target } = exchange;
    const { path, query } = splitTarget(target);
    const match = findRoute(path);
    if (!match) return undefined;
    const { route, parameter } = match;
    const operation = route.methods.get(method);
    if (!operation) return withoutOperation(route, method);
    const call = { exchange, query, parameter };
    const since = method === "GET" ? kept?.now() : undefined;
    const { headers } = route;
    // Not attempt() and chain(): their two promises would cost a create about 0.1 µs on Deno.
    if (!since && !headers) return operation(call);
    const made = attempt(() => operation(call), (thrown) => onFailure(thrown, exchange));
    return chain(made, (answer) => {
      const whole = headers ? extendAnswer(answer, headers) : answer;
      if (since) kept?.keep(target, whole, since);
      return whole;
    });
  };
}

function prepare(route: OperationRoute): PreparedRoute {
  const named = Object.entries(route.methods).flatMap(([name, operation]): [string, Operation][] =>
    name === "GET" ? [[name, operation], ["HEAD", operation]] : [[name, operation]]
  );
  return {
    path: route.path,
    // A map, because an object has members such as `constructor`.
    methods: new Map(named),
    allow: { allow: [...named.map(([name]) => name), "OPTIONS"].join(", ") },
    // Own members only: Object.prototype may have been extended.
    headers: Object.hasOwn(route, "headers") ? route.headers : undefined,
  };
}

function withoutOperation({ allow, headers }: PreparedRoute, method: string): Answer {
  const answer: Answer = method === "OPTIONS"
    ? { status: 204, headers: allow, body: null }
    : new HttpError("method_not_allowed", `Method ${excerpt(method)} is not allowed here`, allow).toAnswer();
  return headers ? extendAnswer(answer, headers) : answer;
}
