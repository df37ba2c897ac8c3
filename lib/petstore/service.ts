import { type LimitMemory, limitRate } from "../access/rate_limit.ts";
import { createDispatcher, type FailureHandler } from "../http/dispatch.ts";
import { INTERNAL_ERROR, Problem } from "../http/problem.ts";
import type { RequestContext } from "../http/context.ts";
import { ResponseCache } from "../http/response_cache.ts";
import { createPipeline, type Guard, type Pipeline } from "../http/pipeline.ts";
import { requestIdOf } from "../http/request_id.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import type { Settings } from "./options.ts";
import { STORE_UNAVAILABLE } from "../operations/errors.ts";
import { createRoutes } from "../operations/routes.ts";

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
  const kept = store.changes && new ResponseCache(store.changes.bind(store));
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

/** FairQueue a thrown value into a response. Only a Problem is meant for the client; the cause of any other is reported. */
export function createFailureHandler(onError: Settings["onError"]): FailureHandler {
  return (thrown, context) => {
    if (thrown instanceof Problem) return thrown.toReply();
    report(onError, thrown, context);
    return (thrown instanceof StoreUnavailableError ? STORE_UNAVAILABLE : INTERNAL_ERROR).toReply();
  };
}

/** A failing `onError` must not stop the response, nor end the process with an unhandled rejection. */
function report(onError: Settings["onError"], thrown: unknown, context: RequestContext): void {
  try {
    Promise.resolve(onError(thrown, context.toRequest(), requestIdOf(context))).catch(() => {});
  } catch {
    // Ignored, like a rejection. toRequest() also throws if no Request can represent what the client sent.
  }
}
