import { callSafely } from "../promises.ts";
import type { RequestContext } from "./context.ts";
import { INTERNAL_ERROR, Problem } from "./problem.ts";
import type { Reply } from "./reply.ts";
import { requestIdOf } from "./request_id.ts";

/** What {@link PetstoreOptions.onError} is told of a failure. */
export interface ErrorInfo {
  /** What was thrown, which may be of any type. */
  error: unknown;
  /** The request. Its body may have been read. */
  request: Request;
  /** The usable `X-Request-Id` of the request, or a new one. */
  requestId: string;
}

export type Recovery = (thrown: unknown, context: RequestContext) => Reply;

/** Clients see a {@link Problem}. `onError` gets any other value, and `explain` chooses its replacement. */
export function createRecovery(
  onError: (info: ErrorInfo) => unknown,
  explain: (thrown: unknown) => Problem,
): Recovery {
  return (thrown, context) => {
    const problem = problemOf(thrown);
    if (problem !== thrown) {
      const requestId = requestIdOf(context);
      // `toRequest()` is called within `callSafely()`, because it throws if no Request can represent what was sent.
      callSafely(() => onError({ error: thrown, request: context.toRequest(), requestId }));
    }
    return problem;
  };

  function problemOf(thrown: unknown): Problem {
    // An app may throw a value that throws when it is looked at, such as a proxy that has been
    // revoked. On Node, that would end the process.
    try {
      return thrown instanceof Problem ? thrown : explain(thrown);
    } catch {
      return INTERNAL_ERROR;
    }
  }
}
