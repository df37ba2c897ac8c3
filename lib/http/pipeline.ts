/** The path of a request through a service. */

import { quoted } from "../json.ts";
import { attempt, chain, isPromise, type MaybePromise } from "../promises.ts";
import type { Caller, RequestContext } from "./context.ts";
import { createFinisher, type Finisher, type FinisherParts } from "./finisher.ts";
import { ANONYMOUS, type Effect, type Operation } from "./operation.ts";
import { Problem } from "./problem.ts";
import type { Recovery } from "./recovery.ts";
import { KeptReply, type Reply } from "./reply.ts";
import type { ResponseCache } from "./response_cache.ts";
import { createRouter, type Match } from "./router.ts";
import { splitTarget } from "./request_text.ts";

export interface Pipeline {
  /** Answers a request, and resolves to the result of `send`, which must not throw. */
  respond<Sent>(context: RequestContext, send: (reply: Reply) => Sent): MaybePromise<Sent>;
  /** The reply to an exception in a host's adapter, for example when an app's response cannot be sent. */
  fail(thrown: unknown, context: RequestContext): Reply;
  /** Finishes replies that come from elsewhere, such as from a gate before the pipeline. */
  finisher: Finisher;
}

/** Answers a request, or lets `answer` do so. */
export type Intercept = (context: RequestContext, answer: () => MaybePromise<Reply>) => MaybePromise<Reply>;

export interface PipelineParts extends FinisherParts {
  /** Refuses a request before anything else looks at it. */
  guard?: ((context: RequestContext) => Problem | undefined) | undefined;
  authenticate: (context: RequestContext) => MaybePromise<Caller | Problem>;
  /** Refuses a caller who lacks the right. */
  authorize: (caller: Caller, effect: Effect) => Problem | undefined;
  /** Stands before what answers a request whose client is known. It is absent where no request fails on purpose. */
  intercept?: Intercept | undefined;
  cache: ResponseCache | undefined;
  operations: readonly Operation[];
  recover: Recovery;
}

export function createPipeline(parts: PipelineParts): Pipeline {
  const { guard, cors, authenticate, authorize, intercept, cache, operations, recover } = parts;
  const finisher = createFinisher(parts);
  const find = createRouter(operations);
  const paths = new Set(operations.filter(({ access }) => access === "key").map(({ path }) => path));
  const routeNotFound = ({ target }: RequestContext) =>
    new Problem(
      404,
      "route_not_found",
      `There is nothing at ${quoted(splitTarget(target).path)}; the API has ${[...paths].join(", ")}`,
    );
  const findOperation = ({ method, target }: RequestContext) => find(method, target);

  function handle(context: RequestContext): MaybePromise<Reply> {
    const refused = guard?.(context);
    if (refused) return refused;
    const getCache = context.method === "GET" ? cache : undefined;
    const kept = getCache?.find(context);
    // A kept response needs no route, and never comes from a public operation.
    const match = kept ? undefined : findOperation(context);
    if (match?.operation.access === "public") return call(match, ANONYMOUS, context);
    const preflight = cors?.preflight(context);
    if (preflight) return preflight;
    return chain(authenticate(context), (caller) => {
      if (caller instanceof Problem) return caller;
      context.caller = caller;
      const answer = () => {
        // No rights are checked for a kept response: every caller may GET.
        if (kept && getCache?.use(kept)) {
          context.route = kept.route;
          return kept.reply;
        }
        // A kept response that is stale needs its route after all.
        const found = kept ? findOperation(context) : match;
        if (!found) return routeNotFound(context);
        const make = () => call(found, caller, context);
        return getCache ? getCache.make(context, make) : make();
      };
      return intercept ? intercept(context, answer) : answer();
    });
  }

  function call(match: Match, caller: Caller, context: RequestContext): MaybePromise<Reply> {
    const { route, operation: { effect, fields, handler }, query, parameter } = match;
    context.route = route.path;
    const answer = () => authorize(caller, effect) ?? handler({ context, caller, query, parameter });
    if (!fields) return answer();
    return chain(
      attempt(answer, (thrown) => recover(thrown, context)),
      (reply) => ({ ...reply, headers: { ...reply.headers, ...fields } }),
    );
  }

  return {
    respond(context, send) {
      const startedAt = finisher.now();
      context.arrivedAt = startedAt;
      const finish = (reply: Reply, endedAt?: number) => send(finisher.finish(reply, context, startedAt, endedAt));
      const sendFailure = (thrown: unknown) => finish(recover(thrown, context));
      let reply;
      try {
        reply = handle(context);
      } catch (thrown) {
        return sendFailure(thrown);
      }
      if (isPromise(reply)) return reply.then(finish, sendFailure);
      return finish(reply, reply instanceof KeptReply ? startedAt : undefined);
    },
    fail: (thrown, context) => finisher.complete(recover(thrown, context), context),
    finisher,
  };
}
