/** The last steps of every reply: conditional requests, HEAD, CORS, request ids, and the observer. */

import { conditionalReply } from "./conditional.ts";
import type { RequestContext } from "./context.ts";
import type { Cors } from "./cors.ts";
import { extendReply, type Reply, withoutBody } from "./reply.ts";
import { withRequestId } from "./request_id.ts";

/**
 * Called with each reply when it is about to be sent. It must not throw.
 *
 * @param startedAt When the request arrived, as in `performance.now()`.
 * @param endedAt The current time; `startedAt` for a kept response that was sent at once, which takes some microseconds.
 */
export type Observer = (context: RequestContext, reply: Reply, startedAt: number, endedAt: number) => void;

/** Which responses get the id of their request. */
export type RequestIds = "all" | "failures" | "none";

/** The parts of a finisher. */
export interface FinisherParts {
  cors?: Cors | undefined;
  requestIds: RequestIds;
  observe?: Observer | undefined;
}

/** Finishes replies. */
export interface Finisher {
  /** The time for {@link finish}; 0 if there is no observer. */
  now(): number;
  finish(reply: Reply, context: RequestContext, startedAt: number, endedAt?: number): Reply;
  /** Adds the id of the request, if such replies get it. */
  identify(reply: Reply, context: RequestContext): Reply;
}

export function createFinisher({ cors, requestIds, observe }: FinisherParts): Finisher {
  /** The lowest status whose responses get an id. */
  const idsFrom = { all: 0, failures: 400, none: Infinity }[requestIds];
  const identify: Finisher["identify"] = (reply, context) =>
    reply.status < idsFrom ? reply : withRequestId(reply, context);

  return {
    now: () => observe ? performance.now() : 0,
    finish(original, context, startedAt, endedAt) {
      const { method, fields } = context;
      let reply = original;
      if (method === "GET" || method === "HEAD") reply = conditionalReply(reply, context);
      if (method === "HEAD") reply = withoutBody(reply);
      if (fields) reply = extendReply(reply, fields);
      reply = identify(reply, context);
      // Last, because it names the other fields.
      if (cors) reply = cors.extend(reply, context);
      observe?.(context, reply, startedAt, endedAt ?? performance.now());
      return reply;
    },
    identify,
  };
}
