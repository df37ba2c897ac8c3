/** From a table of routes to answers: methods, HEAD, OPTIONS, and failures that still carry the route's headers. */

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
  /** The query component, without its question mark. */
  query: string;
  /** The path's parameter, percent-encoded only where it cannot be decoded. */
  parameter: string;
}

/** Answers a call. It may throw an {@link HttpError}, but to return its answer is cheaper. */
export type Operation = (call: Call) => Pending<Answer>;

/** The answer to anything that was thrown. */
export type FailureHandler = (thrown: unknown, exchange: Exchange) => Answer;

/** A path and what can be done there. HEAD and OPTIONS need no mention. */
export interface OperationRoute extends Route {
  methods: Record<string, Operation>;
  /** Carried by every answer of the route, the failures included. */
  headers?: HeaderFields;
}

/** Answers an exchange by its route, or lets it pass if it has none. */
export type Dispatcher = (exchange: Exchange) => Pending<Answer> | undefined;

interface PreparedRoute extends Route {
  methods: ReadonlyMap<string, Operation>;
  allow: HeaderFields;
  headers: HeaderFields | undefined;
}

/**
 * Makes a dispatcher for routes below `basePath`.
 *
 * @param kept Where answers that say how long they hold are kept.
 */
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
    // A promise more costs a create a hundredth of its time.
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
    // A map, so that a method called `constructor` is as unknown as any other.
    methods: new Map(named),
    allow: { allow: [...named.map(([name]) => name), "OPTIONS"].join(", ") },
    // Own members only: a page or a library may have extended Object.prototype.
    headers: Object.hasOwn(route, "headers") ? route.headers : undefined,
  };
}

function withoutOperation({ allow, headers }: PreparedRoute, method: string): Answer {
  const answer: Answer = method === "OPTIONS"
    ? { status: 204, headers: allow, body: null }
    : new HttpError("method_not_allowed", `Method ${excerpt(method)} is not allowed here`, allow).toAnswer();
  return headers ? extendAnswer(answer, headers) : answer;
}
