import { callSafely } from "../maybe_promise.ts";
import type { RequestContext } from "./context.ts";
import { Problem } from "./problem.ts";
import type { Reply } from "./reply.ts";
import { requestIdOf } from "./request_id.ts";

/** A failure, for {@link PetstoreOptions.onError}. */
export interface ErrorInfo {
  /** The thrown value, of any type. */
  error: unknown;
  /** The request. Its body may have been read. */
  request: Request;
  /** The request's usable `X-Request-Id`, or a new one. */
  requestId: string;
}

export type Recovery = (thrown: unknown, context: RequestContext) => Reply;

/** Clients see a {@link Problem}. `onError` gets any other value, and `explain` chooses its replacement. */
export function createRecovery(
  onError: (info: ErrorInfo) => unknown,
  explain: (thrown: unknown) => Problem,
): Recovery {
  return (thrown, context) => {
    const problem = thrown instanceof Problem ? thrown : explain(thrown);
    if (problem !== thrown) {
      const requestId = requestIdOf(context);
      // Inside, because toRequest() throws if no Request can represent what was sent.
      callSafely(() => onError({ error: thrown, request: context.toRequest(), requestId }));
    }
    return problem;
  };
}
