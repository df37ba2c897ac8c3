import { excerpt } from "../json.ts";
import { chain, isPromise, type MaybePromise } from "../maybe_promise.ts";
import { type Body, extendReply, type Reply, withoutBody } from "./reply.ts";
import { conditionalReply } from "./conditional.ts";
import type { Cors } from "./cors.ts";
import { type Dispatcher, type FailureHandler, splitTarget } from "./dispatch.ts";
import { Problem } from "./problem.ts";
import type { RequestContext } from "./context.ts";
import type { ResponseCache } from "./response_cache.ts";
import { withRequestId } from "./request_id.ts";
import { LargeResponses, PIECE } from "./large_responses.ts";

/** A service, independent of a host. */
export interface Pipeline {
  /** Answers a context. Never throws and never rejects. */
  respond(context: RequestContext): MaybePromise<Reply>;
  /** Handles an exception in a host's adapter, for example when an app's response cannot be sent. */
  fail: FailureHandler;
}

/** Returns a response to stop a context, or `undefined` to let it pass. */
export type Guard = (context: RequestContext) => MaybePromise<Reply | undefined>;

/**
 * Is told of each response when it is about to be sent. The caller and the route are those of the context. It must not throw.
 *
 * @param startedAt When the context arrived, as in `performance.now()`.
 * @param endedAt The present.
 */
export type Observer = (context: RequestContext, reply: Reply, startedAt: number, endedAt: number) => void;

/** Which responses get the id of their request. */
export type RequestIds = "all" | "failures" | "none";

/** The parts of a pipeline. */
export interface PipelineParts {
  /** In the order in which they are called. */
  guards: readonly Guard[];
  kept: ResponseCache | undefined;
  dispatch: Dispatcher;
  cors: Cors | undefined;
  onFailure: FailureHandler;
  requestIds?: RequestIds;
  observe?: Observer | undefined;
}

/** Creates a pipeline: guards, kept responses, route and operation, then conditional requests, HEAD, large responses and CORS. */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { guards, kept, dispatch, cors, onFailure, requestIds = "none", observe } = parts;
  /** The lowest status whose responses get an id. */
  const idsFrom = { all: 0, failures: 400, none: Infinity }[requestIds];
  const largeResponses = new LargeResponses();

  function passGuards(context: RequestContext, first: number): MaybePromise<Reply> {
    for (let i = first; i < guards.length; i++) {
      const stopped = guards[i]!(context);
      if (isPromise(stopped)) return stopped.then((stopped) => stopped ?? passGuards(context, i + 1));
      if (stopped) return stopped;
    }
    const known = context.method === "GET" ? kept?.find(context.targetKey) : undefined;
    if (!known) return dispatch(context) ?? routeNotFound(context);
    context.route = known.route;
    return known;
  }

  function finish(reply: Reply, context: RequestContext): MaybePromise<Reply> {
    const wanted = conditionalReply(reply, context);
    const { body } = wanted;
    const sent = context.method === "HEAD"
      ? withoutBody(wanted)
      : isLarge(body)
      ? largeResponses.send(wanted, body)
      : wanted;
    return cors ? chain(sent, (sent) => cors.extend(sent, context)) : sent;
  }

  function finishOrFail(reply: Reply, context: RequestContext): MaybePromise<Reply> {
    try {
      const finished = finish(reply, context);
      return isPromise(finished) ? finished.catch((thrown) => onFailure(thrown, context)) : finished;
    } catch (thrown) {
      return onFailure(thrown, context);
    }
  }

  function identify(reply: Reply, context: RequestContext): Reply {
    return reply.status < idsFrom ? reply : withRequestId(reply, context);
  }

  function end(reply: Reply, context: RequestContext, startedAt: number): MaybePromise<Reply> {
    const finished = finishOrFail(reply, context);
    return isPromise(finished)
      ? finished.then((finished) => tell(finished, context, startedAt))
      : tell(finished, context, startedAt);
  }

  function tell(reply: Reply, context: RequestContext, startedAt: number): Reply {
    const { fields } = context;
    const whole = identify(fields ? extendReply(reply, fields) : reply, context);
    observe?.(context, whole, startedAt, performance.now());
    return whole;
  }

  return {
    // Not attempt() and chain(): their two promises would cost a create about 0.1 µs on Deno.
    respond(context) {
      const startedAt = observe ? performance.now() : 0;
      let reply: MaybePromise<Reply>;
      try {
        reply = passGuards(context, 0);
      } catch (thrown) {
        reply = onFailure(thrown, context);
      }
      if (!isPromise(reply)) return end(reply, context, startedAt);
      return reply.then(
        (reply) => end(reply, context, startedAt),
        (thrown) => end(onFailure(thrown, context), context, startedAt),
      );
    },
    fail: (thrown, context) => identify(onFailure(thrown, context), context),
  };
}

function isLarge(body: Body): body is string | Uint8Array<ArrayBuffer> {
  return (typeof body === "string" || body instanceof Uint8Array) && body.length > PIECE;
}

function routeNotFound({ target }: RequestContext): Reply {
  const path = JSON.stringify(excerpt(splitTarget(target).path));
  return new Problem("route_not_found", `There is nothing at ${path}`).toReply();
}
