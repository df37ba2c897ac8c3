/** The petstore as a pipeline: what every host serves. */

import type { Answer } from "../http/answer.ts";
import { createDispatcher, type FailureHandler } from "../http/dispatch.ts";
import { HttpError, INTERNAL_ERROR } from "../http/errors.ts";
import type { Caller, Exchange } from "../http/exchange.ts";
import { KeptAnswers } from "../http/kept_answers.ts";
import { createPipeline, type Guard, type Pipeline } from "../http/pipeline.ts";
import { isPending } from "../pending.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import type { Settings } from "./options.ts";
import { STORE_UNAVAILABLE } from "./refusals.ts";
import { createRoutes } from "./routes.ts";

/**
 * Makes the pipeline of a petstore.
 *
 * @param before Guards that are asked before the petstore's own.
 */
export function createService(settings: Settings, before: readonly Guard[] = []): Pipeline {
  const { basePath, authenticate, cors, store } = settings;
  const onFailure = createFailureHandler(settings.onError);
  const kept = store.changes && new KeptAnswers(() => store.changes!());
  // Without a closure for each request, which would cost a hundredth of the whole answer.
  const identify: Guard = (exchange) => {
    const found = authenticate(exchange);
    return isPending(found) ? found.then((found) => admit(found, exchange)) : admit(found, exchange);
  };
  return createPipeline({
    guards: [...before, ...(cors ? [cors.preflight] : []), identify],
    kept,
    dispatch: createDispatcher(basePath, createRoutes(settings), onFailure, kept),
    cors,
    onFailure,
  });
}

/** Notes the caller of a request, or answers why there is none. */
function admit(found: Caller | HttpError, exchange: Exchange): Answer | undefined {
  if (found instanceof HttpError) return found.toAnswer();
  exchange.caller = found;
  return undefined;
}

/** Answers what the library meant for the client. Of all else the client learns only that it happened. */
export function createFailureHandler(onError: Settings["onError"]): FailureHandler {
  return (thrown, exchange) => {
    if (thrown instanceof HttpError) return thrown.toAnswer();
    report(onError, thrown, exchange);
    return (thrown instanceof StoreUnavailableError ? STORE_UNAVAILABLE : INTERNAL_ERROR).toAnswer();
  };
}

/** Reports a failure. A log that fails must not stop the answer, nor end the process by an unhandled rejection. */
function report(onError: Settings["onError"], thrown: unknown, exchange: Exchange): void {
  try {
    Promise.resolve(onError(thrown, exchange.toRequest())).catch(() => {});
  } catch {
    // Thrown at once, or there is no Request for what the client has sent.
  }
}
