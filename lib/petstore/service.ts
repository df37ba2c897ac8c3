import { authorize } from "../access/authentication.ts";
import { type LimitMemory, limitRate } from "../access/rate_limit.ts";
import type { RequestContext } from "../http/context.ts";
import { createFinisher, type Observer } from "../http/finisher.ts";
import type { Operation } from "../http/operation.ts";
import { createPipeline, type Pipeline } from "../http/pipeline.ts";
import { INTERNAL_ERROR, Problem } from "../http/problem.ts";
import { extendReply, type Reply } from "../http/reply.ts";
import { requestIdOf } from "../http/request_id.ts";
import { ResponseCache } from "../http/response_cache.ts";
import { createOperation } from "../operations/definition.ts";
import { STORE_UNAVAILABLE } from "../operations/errors.ts";
import { OPERATIONS } from "../operations/table.ts";
import { callSafely } from "../maybe_promise.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import type { Settings } from "./settings.ts";

/** What serves a petstore. */
export interface Service extends Pipeline {
  settings: Settings;
}

/** What the standalone server adds to a petstore. */
export interface ServiceParts {
  /** Throws a {@link Problem} to refuse a request before all else. */
  guard: (context: RequestContext) => void;
  /** Operations beside those of the specification. */
  operations: readonly Operation[];
  observe: Observer | undefined;
  /** Where several isolates count requests together. */
  limits: LimitMemory | undefined;
  /** The clock of the rate limit, in milliseconds. It must never be set back. */
  now: () => number;
}

/** Creates what serves a petstore. Every host can use it. */
export function createService(settings: Settings, parts: Partial<ServiceParts> = {}): Service {
  const { basePath, cors, store, requestIds, rateLimit, keys } = settings;
  const { guard, operations = [], observe = settings.onResponse, limits, now } = parts;
  const pipeline = createPipeline({
    guard,
    cors,
    authenticate: rateLimit ? limitRate(keys, rateLimit, limits, now) : keys,
    authorize,
    cache: store.changes && new ResponseCache(store.changes.bind(store)),
    operations: [...operations, ...OPERATIONS.map((definition) => createOperation(definition, settings, basePath))],
    recover: createRecovery(settings.onError),
    finisher: createFinisher({ cors, requestIds, observe }),
  });
  return { ...pipeline, settings };
}

/** The one place that turns a failure into a reply. Only a Problem is meant for the client; another cause is reported. */
export function createRecovery(onError: Settings["onError"]): (thrown: unknown, context: RequestContext) => Reply {
  return (thrown, context) => {
    if (!(thrown instanceof Problem)) {
      const requestId = requestIdOf(context);
      // Within the call, because toRequest() throws if no Request can represent what the client sent.
      callSafely(() => onError({ error: thrown, request: context.toRequest(), requestId }));
    }
    const problem = thrown instanceof Problem
      ? thrown
      : thrown instanceof StoreUnavailableError
      ? STORE_UNAVAILABLE
      : INTERNAL_ERROR;
    const { operationFields } = context;
    return operationFields ? extendReply(problem, operationFields) : problem;
  };
}
