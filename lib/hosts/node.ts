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

// A request passes the files of this adapter in this order:
//
// - node_context.ts: the request as the pipeline sees it. It asks the next four files when
//   something is needed.
// - node_target.ts and node_fields.ts: the head.
// - node_body.ts: the body.
// - node_request.ts: the `Request`, if a function of the app needs one.
// - node_reply.ts: sends the reply.
//
// These runtimes need code of their own, which says so:
//
// - Node: the unread rest of a body (node_body.ts), pipelined requests after an `Upgrade`
//   (node_reply.ts).
// - Node 22 and Deno: a client that leaves before its turn (node_context.ts).
// - Deno: `read()` without a length (node_body.ts).
// - Bun: unknown methods (node_request.ts), responses that are broken off (node_reply.ts).
// - Cloud functions: no raw fields (node_fields.ts), a body that was read before (node_body.ts),
//   requests without events (node_context.ts).

/** A listener, or a middleware that answers every request. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => void;

/** Answers a `Request`, such as the wrapped `handle` of a petstore. */
export type NodeListenerHandle = (request: Request) => Response | Promise<Response>;

/**
 * Creates a listener from a petstore or, slower, from any `handle`.
 *
 * - Routes match `originalUrl`, even below a router that strips a prefix.
 * - Nothing else may read the body first or call `request.setEncoding()`, unless it keeps the bytes
 *   in `request.rawBody`, as cloud functions do. So mount a petstore before body parsers such as
 *   `express.json()`.
 * - Headers that were set earlier are kept, unless the response has them.
 * - The `Response` of a `handle` that is no petstore's is read to its end before it is sent, at
 *   most 16 MiB of it.
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
  // For speed, a petstore is served by its pipeline, without a `Request` and a `Response`. Any
  // other service is asked by its `handle`.
  const { respond, fail } = pipelineOf(service) ?? handlePipeline((request) => handle.call(service, request));
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
