/** The way of a request, from its arrival to its reply. */

import { excerpt } from "../json.ts";
import { chain, isPromise, type MaybePromise } from "../maybe_promise.ts";
import type { Caller, RequestContext } from "./context.ts";
import type { Cors } from "./cors.ts";
import type { Finisher } from "./finisher.ts";
import { type Access, ANONYMOUS, type Operation } from "./operation.ts";
import { Problem } from "./problem.ts";
import { extendReply, type Reply } from "./reply.ts";
import type { ResponseCache } from "./response_cache.ts";
import { createRouter, type Match } from "./router.ts";
import { splitTarget } from "./target.ts";

/** A service, independent of a host. */
export interface Pipeline {
  /** Answers a request. Never throws and never rejects. */
  respond(context: RequestContext): MaybePromise<Reply>;
  /** The reply to an exception in a host's adapter, for example when an app's response cannot be sent. */
  fail(thrown: unknown, context: RequestContext): Reply;
  /** Finishes replies that come from elsewhere. */
  finisher: Finisher;
}

/** The parts of a pipeline. */
export interface PipelineParts {
  /** Throws a {@link Problem} to refuse a request before all else. */
  guard?: ((context: RequestContext) => void) | undefined;
  cors: Cors | undefined;
  /** Finds the caller, or throws a {@link Problem}. */
  authenticate: (context: RequestContext) => MaybePromise<Caller>;
  /** Throws a {@link Problem} if the caller lacks the right. */
  authorize: (caller: Caller, access: Access) => void;
  cache: ResponseCache | undefined;
  operations: readonly Operation[];
  /** Turns what was thrown into the reply. */
  recover: (thrown: unknown, context: RequestContext) => Reply;
  finisher: Finisher;
}

export function createPipeline(parts: PipelineParts): Pipeline {
  const { guard, cors, authenticate, authorize, cache, operations, recover, finisher } = parts;
  const findOperation = createRouter(operations);
  const hasPublic = operations.some(({ access }) => access === "public");

  function receive(context: RequestContext): MaybePromise<Reply> {
    guard?.(context);
    // Only if there are public operations, because a cached response needs no route.
    const match = hasPublic ? findOperation(context.method, context.target) : undefined;
    if (match?.operation.access === "public") return call(match, ANONYMOUS, context);
    const preflight = cors?.preflight(context);
    if (preflight) return preflight;
    const caller = authenticate(context);
    return isPromise(caller) ? caller.then((caller) => admit(caller, context, match)) : admit(caller, context, match);
  }

  function admit(caller: Caller, context: RequestContext, match: Match | undefined): MaybePromise<Reply> {
    context.caller = caller;
    const cached = context.method === "GET" ? cache : undefined;
    const kept = cached?.find(context);
    if (kept) return kept;
    const found = match ?? findOperation(context.method, context.target);
    if (!found) throw routeNotFound(context);
    return cached ? cached.make(context, () => call(found, caller, context)) : call(found, caller, context);
  }

  function call(match: Match, caller: Caller, context: RequestContext): MaybePromise<Reply> {
    const { route, operation, query, parameter } = match;
    const { access, fields, handler } = operation;
    context.route = route.path;
    context.operationFields = fields;
    authorize(caller, access);
    const reply = handler({ context, caller, query, parameter });
    return fields ? chain(reply, (reply) => extendReply(reply, fields)) : reply;
  }

  return {
    respond(context) {
      const startedAt = finisher.now();
      const finish = (reply: Reply) => finisher.finish(reply, context, startedAt);
      const fail = (thrown: unknown) => finish(recover(thrown, context));
      try {
        const reply = receive(context);
        return isPromise(reply) ? reply.then(finish).catch(fail) : finish(reply);
      } catch (thrown) {
        return fail(thrown);
      }
    },
    fail: (thrown, context) => finisher.identify(recover(thrown, context), context),
    finisher,
  };
}

function routeNotFound({ target }: RequestContext): Problem {
  return new Problem(
    404,
    "route_not_found",
    `There is nothing at ${JSON.stringify(excerpt(splitTarget(target).path))}`,
  );
}
