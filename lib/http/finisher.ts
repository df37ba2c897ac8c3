import { conditionalReply } from "./conditional.ts";
import type { RequestContext } from "./context.ts";
import { type Cors, withCorsFields } from "./cors.ts";
import { extendReply, FAULT_FIELD, KeptReply, type Reply, withoutBody } from "./reply.ts";
import { withRequestId } from "./request_id.ts";

/** Called for each reply before it is sent. It must not throw. Times are those of `performance.now()`. */
export type Observer = (context: RequestContext, reply: Reply, startedAt: number, endedAt: number) => void;

/** Which responses get the request's id. */
export type RequestIds = "all" | "failures" | "none";

export interface FinisherParts {
  /** Whether a client may be known by something other than the field Authorization, such as a cookie. */
  mayLackAuthorization?: boolean;
  cors?: Cors | undefined;
  requestIds: RequestIds;
  observe?: Observer | undefined;
}

/** The last step of each reply. It depends on the request and on the settings, and not on the operation. */
export interface Finisher {
  /** Notes when a request came, for the observer. */
  begin(context: RequestContext): void;
  /** Prepares a reply for sending, and shows it to the observer. */
  finish(reply: Reply, context: RequestContext): Reply;
  /** Prepares a reply for sending without the observer, which has seen the one whose place it takes. */
  prepare(reply: Reply, context: RequestContext): Reply;
}

export function createFinisher({ cors, requestIds, observe, mayLackAuthorization }: FinisherParts): Finisher {
  /** The lowest status whose responses have an id. */
  const idsFrom = { all: 0, failures: 400, none: Infinity }[requestIds];

  function prepare(original: Reply, context: RequestContext): Reply {
    const { method, fault } = context;
    let reply = original;
    if (method === "GET" || method === "HEAD") reply = conditionalReply(reply, context);
    if (method === "HEAD") reply = withoutBody(reply);
    if (fault !== undefined) reply = extendReply(reply, { [FAULT_FIELD]: fault });
    if (mayLackAuthorization && context.caller && context.header("authorization") === null) reply = keepPrivate(reply);
    if (reply.status >= idsFrom) reply = withRequestId(reply, context);
    // CORS comes last, because its fields name the other ones.
    return cors ? withCors(reply, cors.permittedOrigin(context)) : reply;
  }

  return {
    begin(context) {
      if (observe) context.arrivedAt = performance.now();
    },
    finish(original, context) {
      const reply = prepare(original, context);
      if (observe) {
        const endedAt = performance.now();
        observe(context, reply, context.arrivedAt ?? endedAt, endedAt);
      }
      return reply;
    },
    prepare,
  };
}

/**
 * Keeps shared caches from storing a reply. They do so by themselves only if the request has the
 * field Authorization (RFC 9111 §3.5). An app's response may have a rule of its own.
 */
function keepPrivate(reply: Reply): Reply {
  if (Object.hasOwn(reply.headers, "cache-control")) return reply;
  return extendReply(reply, { "cache-control": "private, no-cache" });
}

/** Adds the fields of CORS. A kept reply has them made once for requests of the same origin. */
function withCors(reply: Reply, origin: string | undefined): Reply {
  if (!(reply instanceof KeptReply)) return withCorsFields(reply, origin);
  return reply.variantFor(origin, () => withCorsFields(reply, origin));
}
