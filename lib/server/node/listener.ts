/** Listens with `node:http`. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { endAfterUpgrade, sendFailure, sendReply } from "../../hosts/node_reply.ts";
import { NodeContext } from "../../hosts/node_context.ts";
import type { Send } from "../service/drain_gate.ts";
import { MALFORMED } from "../service/errors.ts";
import { type Listen, listenError, UNFINISHED } from "../service/listener.ts";
import { resolvesWithin } from "../../promises.ts";
import { isMalformed, refuseUnreadable } from "./refusals.ts";

/**
 * The time limits of Node, in milliseconds. A head must be complete in 10 seconds; a body has the time limit of the
 * service. An idle connection stays open for longer than nginx keeps one, which could otherwise send a request while it
 * is being closed.
 */
const OPTIONS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
  // The listener itself refuses a request without Host, with an Error body.
  requireHostHeader: false,
};

const send: Send<ServerResponse, void> = (reply, context, { fail }, outgoing) => {
  sendReply(reply, outgoing, (thrown) => sendFailure(fail(thrown, context), outgoing));
};

export const listen: Listen = async (address, gate, report) => {
  const { hostname, port, isShared = false } = address;
  const connections = new Map<Socket, ServerResponse | undefined>();
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    connections.set(incoming.socket, outgoing);
    endAfterUpgrade(incoming, outgoing);
    const context = new NodeContext(incoming, outgoing);
    if (isMalformed(incoming)) send(MALFORMED, context, { fail: () => MALFORMED }, outgoing);
    else gate.respond(context, outgoing, send);
  };
  // An expectation that is not known may be ignored (RFC 9110 §10.1.1).
  const server = createServer(OPTIONS, answer).on("checkExpectation", answer);
  // Node would leave out the fields after the 1,000th, an Idempotency-Key or a second Host. The head has a limit in bytes.
  server.maxHeadersCount = 0;
  // A client may end its own side of the connection and wait for the response. Otherwise Node would close the
  // connection at once, and lose the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  refuseUnreadable(server, connections);
  server.on("connection", (socket) => {
    connections.set(socket, undefined);
    // After CONNECT, Node listens to the socket no more. A client that resets the connection would end the process.
    socket.on("error", () => {});
    socket.on("close", () => connections.delete(socket));
    // Node looks an address up at the first use, and finds none after the client has left.
    void socket.remoteAddress;
  });
  try {
    await once(server.listen({ port, host: hostname, reusePort: isShared }), "listening");
  } catch (error) {
    throw listenError(address, error);
  }
  server.on("error", (error) => report(`the socket has failed: ${error.message}`));
  const boundPort = (server.address() as AddressInfo).port;
  let stopped: Promise<void> | undefined;

  return {
    port: boundPort,
    async stop() {
      // Node closes the socket at once, and the connections that are idle after a request.
      stopped ??= new Promise((resolve) => server.close(() => resolve()));
      for (const [connection] of connections) if (connection.bytesRead === 0) connection.destroy();
      await undefined;
    },
    async finish(timeoutMs) {
      // The wait has a limit, because a client may never finish its request.
      if (!await resolvesWithin(timeoutMs, stopped ?? Promise.resolve())) report(UNFINISHED);
      server.closeAllConnections();
    },
  };
};
