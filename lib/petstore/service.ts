import { authorize } from "../access/authentication.ts";
import type { RequestContext } from "../http/context.ts";
import type { Observer } from "../http/finisher.ts";
import type { Operation } from "../http/operation.ts";
import { createPipeline, type Pipeline } from "../http/pipeline.ts";
import { INTERNAL_ERROR, type Problem } from "../http/problem.ts";
import { createRecovery } from "../http/recovery.ts";
import { createResponseCache } from "../http/response_cache.ts";
import { createOperation } from "../operations/definition.ts";
import { MAY_BE_STORED, STORE_UNAVAILABLE } from "../operations/failure_groups.ts";
import { OPERATIONS } from "../operations/table.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import type { CheckedOptions } from "./checked_options.ts";

export interface Service extends Pipeline {
  settings: CheckedOptions;
}

/** For the standalone server. */
export interface ServiceParts {
  /** Refuses a request before all else. */
  guard: (context: RequestContext) => Problem | undefined;
  /** Beside those of the specification. */
  operations: readonly Operation[];
  observe: Observer | undefined;
}

export function createService(settings: CheckedOptions, parts: Partial<ServiceParts> = {}): Service {
  const { basePath, store } = settings;
  const { guard, operations = [], observe = settings.onResponse } = parts;
  const pipeline = createPipeline({
    ...settings,
    guard,
    observe,
    authorize,
    cache: store.changes && createResponseCache(store.changes.bind(store)),
    operations: [...operations, ...OPERATIONS.map((definition) => createOperation(definition, settings, basePath))],
    recover: createRecovery(settings.onError, explainFailure),
  });
  return { ...pipeline, settings };
}

export function explainFailure(thrown: unknown): Problem {
  if (!(thrown instanceof StoreUnavailableError)) return INTERNAL_ERROR;
  return thrown.mayBeStored ? MAY_BE_STORED : STORE_UNAVAILABLE;
}
