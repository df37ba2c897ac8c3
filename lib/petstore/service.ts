import { authorize } from "../access/authentication.ts";
import { type Handle, pipelineOf } from "../hosts/fetch.ts";
import type { RequestContext } from "../http/context.ts";
import type { Operation } from "../http/operation.ts";
import { createPipeline, type Pipeline } from "../http/pipeline.ts";
import { INTERNAL_ERROR, type Problem } from "../http/problem.ts";
import { createRecovery } from "../http/recovery.ts";
import { ResponseCache } from "../http/response_cache.ts";
import { createOperation } from "../operations/definition.ts";
import { MAY_BE_STORED, STORE_UNAVAILABLE } from "../operations/failure_groups.ts";
import { OPERATIONS } from "../operations/table.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import type { CheckedOptions } from "./checked_options.ts";

/** A pipeline, and what it was made of, so that another one can be made with an extra more. */
export interface Service extends Pipeline {
  settings: CheckedOptions;
  extras: ServiceExtras;
}

/**
 * What a service may have beside the options of a petstore. The standalone server and the faults on
 * purpose give it.
 */
export interface ServiceExtras {
  /** Refuses a request before anything else looks at it. */
  guard?: (context: RequestContext) => Problem | undefined;
  /** Operations that the server has beside those of the specification. */
  operations?: readonly Operation[];
  /** Changes an operation of the specification, which the id names. */
  adaptOperation?: (operation: Operation, id: string) => Operation;
}

/**
 * The service behind a petstore. Every petstore is served by {@link createService}.
 *
 * @throws {TypeError} With this message, if this library has not made the petstore.
 */
export function serviceOf(petstore: { handle: Handle }, message: string): Service {
  const service = pipelineOf(petstore);
  if (!service) throw new TypeError(message);
  return service as Service;
}

export function createService(settings: CheckedOptions, extras: ServiceExtras = {}): Service {
  const { keys, store, cors, requestIds, onError, onResponse } = settings;
  const { guard, operations = [], adaptOperation = (operation) => operation } = extras;
  const pipeline = createPipeline({
    authenticate: keys.authenticate,
    mayLackAuthorization: keys.mayLackAuthorization,
    cors,
    requestIds,
    guard,
    observe: onResponse,
    authorize,
    cache: store.changes && new ResponseCache(() => store.changes!()),
    operations: [...operations, ...OPERATIONS.map((each) => adaptOperation(createOperation(each, settings), each.id))],
    recover: createRecovery(onError, explainFailure),
  });
  return { ...pipeline, settings, extras };
}

function explainFailure(thrown: unknown): Problem {
  if (!(thrown instanceof StoreUnavailableError)) return INTERNAL_ERROR;
  return thrown.mayBeStored ? MAY_BE_STORED : STORE_UNAVAILABLE;
}
