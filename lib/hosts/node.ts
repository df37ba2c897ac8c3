/**
 * Serves a petstore with Node's `(request, response)`: on `node:http`, `node:https`, `node:http2`, and frameworks built on
 * them, such as Express, Fastify, Koa and Connect.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createPetstore } from "@petstore/petstore";
 * import { createNodeListener } from "@petstore/petstore/node";
 *
 * const petstore = createPetstore({ keys: ["pk_example"] });
 * const server = createServer(createNodeListener(petstore));
 * server.listen(0, () => server.close()); // closed here only so that the example ends
 * ```
 *
 * @module
 */

import { INTERNAL_ERROR } from "../http/problem.ts";
import { createRecovery } from "../http/recovery.ts";
import type { RequestContext } from "../http/context.ts";
import type { Reply } from "../http/reply.ts";
import { isPromise } from "../maybe_promise.ts";
import { type ConnectionInfo, pipelineOf, type ServingPipeline } from "./fetch.ts";
import { endAfterUpgrade, sendFailure, sendReply } from "./node_reply.ts";
import { NodeContext } from "./node_context.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

export type { ConnectionInfo, NodeRequest, NodeResponse };

/** A listener for `node:http`. In Express and Connect it is a middleware that answers every request it receives. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => void;

/** A function from `Request` to `Response`, such as one that wraps the `handle` of a petstore. */
export type NodeListenerHandle = (request: Request, info: ConnectionInfo) => Response | Promise<Response>;

/**
 * Creates a listener from a petstore, or from any `handle`. For a petstore, it creates no `Request` or `Response`, which
 * makes it faster. Pass the petstore itself, not its `handle`.
 *
 * - Routes match the target that the client sent (`originalUrl`), even below a router that strips a prefix.
 * - Nothing else may read the request's body first.
 * - Headers that were set earlier are kept, unless the response has a header of the same name.
 * - If the client disconnects, the `signal` of a `Request` aborts, and a streamed response body is cancelled.
 * - A `handle` in place of a petstore gets the address of the client as its second argument, as `Deno.serve` passes it.
 * - If a `handle` throws, the client gets 500 and the error goes to `console.error`.
 *
 * @throws {TypeError} If `service` is neither.
 */
export function createNodeListener(service: { handle: NodeListenerHandle } | NodeListenerHandle): NodeListener {
  const handle = typeof service === "function" ? service : service?.handle;
  if (typeof handle !== "function") {
    const isPending = isPromise<unknown>(service);
    throw new TypeError(
      `createNodeListener() takes a petstore, such as createPetstore({ keys: [key] })${
        isPending ? "; await the promise" : ""
      }`,
    );
  }
  const { respond, fail } = pipelineOf(service as { handle?: unknown }) ??
    handlePipeline((request, info) => handle.call(service, request, info));
  return (incoming, outgoing) => {
    endAfterUpgrade(incoming, outgoing);
    const context = new NodeContext(incoming, outgoing);
    const send = (reply: Reply) => sendReply(reply, outgoing, (thrown) => sendFailure(fail(thrown, context), outgoing));
    void respond(context, send);
  };
}

/** Wraps a `handle` that does not belong to a petstore. */
function handlePipeline(handle: NodeListenerHandle): ServingPipeline {
  const fail = createRecovery(() => {}, (thrown) => {
    // Not in the callback, which needs a Request: making it may be what has failed.
    console.error(thrown);
    return INTERNAL_ERROR;
  });
  async function answer(context: RequestContext): Promise<Reply> {
    try {
      const info = { remoteAddr: { hostname: context.client, transport: "tcp" } };
      const response = await handle(context.toRequest(), info);
      const isResponse = typeof response?.status === "number" && typeof response.headers?.get === "function";
      if (isResponse) return { status: response.status, headers: {}, body: response };
      throw new TypeError("The handle of createNodeListener() must answer with a Response");
    } catch (thrown) {
      return fail(thrown, context);
    }
  }

  return {
    async respond(context, send) {
      return send(await answer(context));
    },
    fail,
  };
}
