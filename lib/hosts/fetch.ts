/**
 * Makes `handle` of a pipeline: the function of a petstore that takes a `Request` and gives a
 * promise of a `Response`.
 */

import type { Pipeline } from "../http/pipeline.ts";
import { FetchContext } from "./fetch_context.ts";
import { toResponse } from "./fetch_response.ts";

export type ServingPipeline = Pick<Pipeline, "respond" | "fail">;

/** Answers a `Request`. Further arguments, as hosts pass them, are ignored. */
export type Handle = (request: Request) => Promise<Response>;

/**
 * The pipeline behind each `handle`. A host that gets no `Request`, such as `node:http`, calls the
 * pipeline itself, and need not make one for `handle`. The pipeline is found by the identity of the
 * function. A proxy of a `handle`, or a function with its members, has none: it is a wrapper of the
 * app, which must not be bypassed.
 */
const PIPELINES = new WeakMap<object, ServingPipeline>();

const NOT_A_REQUEST = "handle() takes a Request; node:http needs createNodeListener()";

/** The same function under both names: `handle` is ours, and hosts such as Workers look for `fetch`. */
export function createHandles(pipeline: ServingPipeline): { handle: Handle; fetch: Handle } {
  // The function is async also because the members of what is no real Request may throw.
  const handle: Handle = async (request) => {
    const headers = request?.headers;
    // A Request may come from another realm or from a polyfill, so its class is not asked.
    if (typeof headers?.get !== "function") throw new TypeError(NOT_A_REQUEST);
    return await pipeline.respond(new FetchContext(request, headers), toResponse);
  };
  PIPELINES.set(handle, pipeline);
  return { handle, fetch: handle };
}

/**
 * Finds the pipeline of a petstore. It is undefined if {@link createHandles} has not made the
 * `handle` of the service.
 */
export function pipelineOf(service: unknown): ServingPipeline | undefined {
  const { handle } = Object(service);
  return PIPELINES.get(handle);
}
