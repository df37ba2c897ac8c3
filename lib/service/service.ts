import { type LimitMemory, limitRate } from "../access/rate_limit.ts";
import { createDispatcher, type FailureHandler } from "../http/dispatch.ts";
import { HttpError, INTERNAL_ERROR } from "../http/errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { KeptAnswers } from "../http/kept_answers.ts";
import { createPipeline, type Guard, type Pipeline } from "../http/pipeline.ts";
import { requestIdOf } from "../http/request_id.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import type { Settings } from "./options.ts";
import { STORE_UNAVAILABLE } from "./refusals.ts";
import { createRoutes } from "./routes.ts";

/**
 * Creates the pipeline of a petstore, which every host serves.
 *
 * @param before Guards that run before the petstore's own.
 * @param memory Where several isolates count requests together.
 */
export function createService(settings: Settings, before: readonly Guard[] = [], memory?: LimitMemory): Pipeline {
  const { basePath, cors, store, requestIds, observe, rateLimit } = settings;
  const authenticate = rateLimit ? limitRate(settings.authenticate, rateLimit, memory) : settings.authenticate;
  const onFailure = createFailureHandler(settings.onError);
  const kept = store.changes && new KeptAnswers(store.changes.bind(store));
  return createPipeline({
    guards: [...before, ...(cors ? [cors.preflight] : []), authenticate],
    kept,
    dispatch: createDispatcher(basePath, createRoutes(settings), onFailure, kept),
    cors,
    onFailure,
    requestIds,
    observe,
  });
}

/** Turns a thrown value into an answer. Only an HttpError is meant for the client; the cause of any other is reported. */
export function createFailureHandler(onError: Settings["onError"]): FailureHandler {
  return (thrown, exchange) => {
    if (thrown instanceof HttpError) return thrown.toAnswer();
    report(onError, thrown, exchange);
    return (thrown instanceof StoreUnavailableError ? STORE_UNAVAILABLE : INTERNAL_ERROR).toAnswer();
  };
}

/** A failing `onError` must not stop the answer, nor end the process with an unhandled rejection. */
function report(onError: Settings["onError"], thrown: unknown, exchange: Exchange): void {
  try {
    Promise.resolve(onError(thrown, exchange.toRequest(), requestIdOf(exchange))).catch(() => {});
  } catch {
    // Ignored, like a rejection. toRequest() also throws if no Request can represent what the client sent.
  }
}
