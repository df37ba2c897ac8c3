/**
 * Serves a petstore on `node:http`, `node:https` and the frameworks on them.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createPetstore } from "@petstore/petstore";
 * import { createNodeListener } from "@petstore/petstore/node";
 *
 * const server = createServer(createNodeListener(createPetstore({ keys: ["pk_example"] })));
 * server.listen(0, () => server.close()); // closed so that the example ends
 * ```
 *
 * @module
 */

import { askApp } from "../http/app_response.ts";
import { INTERNAL_ERROR, Problem } from "../http/problem.ts";
import type { RequestContext } from "../http/context.ts";
import type { Reply } from "../http/reply.ts";
import { callSafely } from "../promises.ts";
import { pipelineOf, type ServingPipeline } from "./fetch.ts";
import { endAfterUpgrade, sendFailure, sendReply } from "./node_reply.ts";
import { NodeContext } from "./node_context.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

export type { NodeRequest, NodeResponse };

/** A listener, or a middleware that answers every request. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => void;

/** Answers a `Request`, such as the wrapped `handle` of a petstore. */
export type NodeListenerHandle = (request: Request) => Response | Promise<Response>;

/**
 * Creates a listener from a petstore or, slower, from any `handle`.
 *
 * - Routes match `originalUrl`, even below a router that strips a prefix.
 * - Nothing else may read the body first or call `request.setEncoding()`, unless it keeps the bytes in `request.rawBody`, as cloud functions
 *   do. So mount a petstore before body parsers such as `express.json()`.
 * - Headers that were set earlier are kept, unless the response has them.
 * - The `Response` of a `handle` that is no petstore's is read to its end before it is sent, at most 16 MiB of it.
 * - If the client disconnects, the `signal` of a `Request` aborts.
 * - If a `handle` throws, the client gets 500 and `console.error` the error.
 *
 * @throws {TypeError} If `service` is neither.
 */
export function createNodeListener(service: { handle: NodeListenerHandle } | NodeListenerHandle): NodeListener {
  const handle = typeof service === "function" ? service : service?.handle;
  if (typeof handle !== "function") {
    throw new TypeError("createNodeListener() takes a petstore, such as createPetstore({ keys: [key] })");
  }
  const { respond, fail } = pipelineOf(service as { handle?: unknown }) ??
    handlePipeline((request) => handle.call(service, request));
  return (incoming, outgoing) => {
    endAfterUpgrade(incoming, outgoing);
    const context = new NodeContext(incoming, outgoing);
    const onFailure = (thrown: unknown) => sendFailure(fail(thrown, context), outgoing);
    if (incoming.httpVersionMajor === 2) return sendFailure(NO_HTTP2, outgoing);
    void respond(context, (reply) => {
      try {
        sendReply(reply, outgoing);
      } catch (thrown) {
        onFailure(thrown);
      }
    });
  };
}

const NO_HTTP2 = /* @__PURE__ */ new Problem(
  501,
  "not_implemented",
  "createNodeListener() serves HTTP/1; for HTTP/2, put a proxy such as nginx in front of the server",
);

function handlePipeline(handle: NodeListenerHandle): ServingPipeline {
  function fail(thrown: unknown): Reply {
    // What is thrown may throw when it is shown.
    callSafely(() => console.error(thrown));
    return INTERNAL_ERROR;
  }
  async function answer(context: RequestContext): Promise<Reply> {
    try {
      const request = context.toRequest();
      return await askApp(request, () => handle(request));
    } catch (thrown) {
      return fail(thrown);
    }
  }

  return { respond: async (context, send) => send(await answer(context)), fail };
}
