/**
 * The way between Node's `(request, response)` and the Fetch standard's `Request` and `Response`, for `node:http` and all
 * that is built on it: Express, Fastify, Koa, Connect. Imports nothing; works wherever `node:http` does.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createPetstore } from "@petstore/petstore";
 * import { createNodeListener } from "@petstore/petstore/node";
 *
 * const petstore = createPetstore({ keys: ["pk_example"] });
 * const server = createServer(createNodeListener(petstore.handle));
 * server.listen(0, () => server.close()); // closed here only so that the example ends
 * ```
 *
 * @module
 */

import { toRequest } from "./node_request.ts";
import { sendResponse } from "./node_response.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

export type { NodeRequest, NodeResponse };

/** What `node:http` calls for each request; also a middleware of Express and Connect that answers all it is given. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => void;

/**
 * Makes a listener of a `handle`, such as that of `createPetstore()`.
 *
 * The request's URL is the one that the client asked for, even below a router that strips its prefix (`originalUrl`).
 * Nothing may read the request's body before. The answer replaces headers of the same name that were set before, and
 * keeps the others. When the client goes away, the request's `signal` aborts and its body fails.
 */
export function createNodeListener(handle: (request: Request) => Response | Promise<Response>): NodeListener {
  return async (incoming, outgoing) => {
    let gone: AbortController | undefined;
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) gone?.abort();
    });
    const signal = () => {
      if (!gone) {
        gone = new AbortController();
        if (outgoing.destroyed && !outgoing.writableFinished) gone.abort();
      }
      return gone.signal;
    };
    try {
      await sendResponse(await handle(toRequest(incoming, signal)), outgoing);
    } catch {
      // A body that broke off: what has been sent cannot be taken back, so the client must not take it for whole.
      outgoing.destroy();
    }
  };
}
