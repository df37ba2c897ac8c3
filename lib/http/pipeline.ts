/**
 * The path of a request through a service: guard, look for a kept response, route, public
 * operation, preflight, key, rights, handler. `createPetstore()` makes one pipeline, and each
 * adapter to a host calls its `respond`.
 */

import { quoted } from "../excerpt.ts";
import { attempt, chain, isPromise, type MaybePromise } from "../promises.ts";
import type { Caller, RequestContext } from "./context.ts";
import { isPreflight, REFUSED_PREFLIGHT } from "./cors.ts";
import { createFinisher, type Finisher, type FinisherParts } from "./finisher.ts";
import { ANONYMOUS, type Effect, type Operation } from "./operation.ts";
import { Problem } from "./problem.ts";
import type { Recovery } from "./recovery.ts";
import { extendReply, type Reply } from "./reply.ts";
import type { ResponseCache } from "./response_cache.ts";
import { createRouter, type Match } from "./router.ts";
import { splitTarget } from "./request_text.ts";

export interface Pipeline {
  /**
   * Answers a request, and returns what `send` returns, or a promise of it.
   *
   * @param send Sends the reply. It must not throw, because nothing would answer the client then.
   */
  respond<Sent>(context: RequestContext, send: (reply: Reply) => Sent): MaybePromise<Sent>;
  /**
   * The reply to an exception in a host's adapter, for example when a middleware of the app keeps
   * the reply from being sent.
   */
  fail(thrown: unknown, context: RequestContext): Reply;
  /** Finishes replies that come from elsewhere, such as from a gate before the pipeline. */
  finisher: Finisher;
}

export interface PipelineParts extends FinisherParts {
  /** Refuses a request before anything else looks at it. */
  guard?: ((context: RequestContext) => Problem | undefined) | undefined;
  authenticate: (context: RequestContext) => MaybePromise<Caller | Problem>;
  /** Refuses a caller who lacks the right. */
  authorize: (caller: Caller, effect: Effect) => Problem | undefined;
  cache: ResponseCache | undefined;
  operations: readonly Operation[];
  recover: Recovery;
}

export function createPipeline(parts: PipelineParts): Pipeline {
  const { guard, cors, authenticate, authorize, cache, operations, recover } = parts;
  const finisher = createFinisher(parts);
  const router = createRouter(operations);
  // Paths beside the API, such as that of the documentation, are not named to its clients.
  const pathsOfApi = new Set(operations.filter(({ access }) => access === "key").map(({ path }) => path));
  const routeNotFound = ({ target }: RequestContext) =>
    new Problem(
      404,
      "route_not_found",
      `There is nothing at ${quoted(splitTarget(target).path)}; the API has ${[...pathsOfApi].join(", ")}`,
    );

  /**
   * Answers a request. What it throws, and what its promise rejects with, is turned into a reply by
   * {@link Pipeline.respond}.
   */
  function handle(context: RequestContext): MaybePromise<Reply> {
    const refusal = guard?.(context);
    if (refusal) return refusal;
    const kept = cache?.find(context);
    // For speed, the router is not asked for a target with a kept response.
    const match = kept ? kept.match : router(context.method, context.target);
    // A public operation needs no preflight, because it is a plain GET.
    if (match?.operation.access === "public") return callOperation(context, ANONYMOUS, match);
    // A preflight has no key, so it is answered before the key is checked.
    if (isPreflight(context)) return cors ? cors.preflight(context) : REFUSED_PREFLIGHT;
    return chain(authenticate(context), (caller) => {
      if (caller instanceof Problem) return caller;
      context.caller = caller;
      // Only a client with a key learns which paths there are.
      if (!match) return routeNotFound(context);
      // No rights are checked for a kept response, because every caller may read, and a GET does nothing else.
      if (kept && cache?.isFresh(kept)) {
        context.route = match.route.path;
        return kept.reply;
      }
      const call = () => callOperation(context, caller, match);
      return cache ? cache.make(context, match, call) : call();
    });
  }

  function callOperation(context: RequestContext, caller: Caller, match: Match): MaybePromise<Reply> {
    const { route, operation: { effect, fields, handler }, query, parameter } = match;
    context.route = route.path;
    const call = () => authorize(caller, effect) ?? handler({ context, caller, query, parameter });
    if (!fields) return call();
    // The fields announce the end of a deprecated operation. Its failures have them too, so these
    // are caught here and not in `respond`.
    const replyOrFailure = attempt(call, (thrown) => recover(thrown, context));
    return chain(replyOrFailure, (reply) => extendReply(reply, fields));
  }

  return {
    respond(context, send) {
      finisher.begin(context);
      const finish = (reply: Reply) => send(finisher.finish(reply, context));
      const sendFailure = (thrown: unknown) => finish(recover(thrown, context));
      let reply;
      try {
        reply = handle(context);
      } catch (thrown) {
        return sendFailure(thrown);
      }
      return isPromise(reply) ? reply.then(finish, sendFailure) : finish(reply);
    },
    fail: (thrown, context) => finisher.prepare(recover(thrown, context), context),
    finisher,
  };
}
