/** The one place that turns what was thrown into a reply. */

import { callSafely } from "../maybe_promise.ts";
import type { RequestContext } from "./context.ts";
import { Problem } from "./problem.ts";
import { extendReply, type Reply } from "./reply.ts";
import { requestIdOf } from "./request_id.ts";

/** A failure, as {@link PetstoreOptions.onError} gets it. */
export interface ErrorInfo {
  /** The thrown value, which may have any type. */
  error: unknown;
  /** The request. Its body may have been read. */
  request: Request;
  /** The `X-Request-Id` of the request if it has a usable one, otherwise a new id. */
  requestId: string;
}

/** Turns what was thrown into the reply. */
export type Recovery = (thrown: unknown, context: RequestContext) => Reply;

/**
 * Only a {@link Problem} is meant for the client.
 *
 * @param onError Is told of any other value.
 * @param explain Chooses the failure that the client sees instead.
 */
export function createRecovery(
  onError: (info: ErrorInfo) => unknown,
  explain: (thrown: unknown) => Problem,
): Recovery {
  return (thrown, context) => {
    const { operationFields } = context;
    const problem = thrown instanceof Problem ? thrown : explain(thrown);
    if (problem !== thrown) {
      const requestId = requestIdOf(context);
      // Within the call, because toRequest() throws if no Request can represent what the client sent.
      callSafely(() => onError({ error: thrown, request: context.toRequest(), requestId }));
    }
    return extendReply(problem, operationFields);
  };
}
