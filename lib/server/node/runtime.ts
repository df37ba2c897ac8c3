import { once } from "node:events";
import { fstatSync, write } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { promisify } from "node:util";
import { NodeContext } from "../../hosts/node_context.ts";
import { endAfterUpgrade, sendReply } from "../../hosts/node_reply.ts";
import type { Reply } from "../../http/reply.ts";
import { sleep } from "../../promises.ts";
import { type Address, type Gate, type Listener, listenError, PROCESS, type Runtime } from "../process/runtime.ts";
import { codeOf } from "../process/start_error.ts";
import type { Report, Sink } from "../process/writers.ts";
import { MALFORMED } from "../serving/errors.ts";
import { type Connections, isMalformed, refuseUnreadable } from "./refusals.ts";

/** Node as the runtime of the server. */
export const NODE_RUNTIME: Runtime = {
  ...PROCESS,
  sinks: { output: createSink(process.stdout, 1), errorOutput: createSink(process.stderr, 2) },
  listen,
};

/** Listens with `node:http`. */
async function listen(address: Address, gate: Gate, report: Report): Promise<Listener> {
  const { hostname, port, isShared = false } = address;
  const connections: Connections = new Map();
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    connections.set(incoming.socket, outgoing);
    endAfterUpgrade(incoming, outgoing);
    if (isMalformed(incoming)) return sendReply(MALFORMED, outgoing);
    gate.respond(new NodeContext(incoming, outgoing), (reply) => {
      const isLatest = connections.get(incoming.socket) === outgoing;
      sendReply(isLatest ? reply : withoutClose(reply), outgoing);
    });
  };
  // A request with an unknown expectation is answered as if it had none, which RFC 9110 §10.1.1 permits.
  const server = createServer(SERVER_OPTIONS, answer).on("checkExpectation", answer);
  // The number of fields has no limit, because Node would leave out those beyond it, perhaps an
  // Idempotency-Key or a second Host. The limit of the head in bytes remains.
  server.maxHeadersCount = 0;
  // A client may end its own side of the connection and wait for the response. Without this option,
  // Node would close the connection at once, and the response would be lost.
  Object.assign(server, { httpAllowHalfOpen: true });
  refuseUnreadable(server, connections);
  server.on("connection", (socket) => {
    connections.set(socket, undefined);
    // After CONNECT, Node no longer listens for errors of the socket: without a listener, a client
    // that resets the connection would end the process.
    socket.on("error", () => {});
    socket.on("close", () => connections.delete(socket));
    // Node looks the address up at its first use, and keeps it. Later it would find none if the client has left.
    void socket.remoteAddress;
  });
  try {
    await once(server.listen({ port, host: hostname, reusePort: isShared }), "listening");
  } catch (error) {
    throw listenError(address, error);
  }
  server.on("error", (error) => report(`the socket has failed: ${error.message}`));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, "close");
      // Node closes the socket at once, and the connections that are idle after a request. Those
      // that have sent nothing are closed here.
      server.close();
      for (const connection of connections.keys()) if (connection.bytesRead === 0) connection.destroy();
      await closed;
    },
  };
}

/**
 * A reply that does not close its connection. A client may send further requests before it has a
 * response. After a response that closes the connection, Node would drop those to the further
 * requests, although they were carried out.
 */
function withoutClose(reply: Reply): Reply {
  const { connection: _, ...headers } = reply.headers;
  return { ...reply, headers };
}

/** The options of Node's server. Times are in milliseconds. */
const SERVER_OPTIONS = {
  headersTimeout: 10_000,
  // The service has a shorter time limit for bodies.
  requestTimeout: 60_000,
  // An idle connection stays open for longer than nginx keeps one, which could otherwise send a
  // request while Node closes the connection.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
  // The listener itself refuses a request without Host, with an Error body.
  requireHostHeader: false,
  // A platform may set NODE_OPTIONS=--insecure-http-parser for all programs. It would permit
  // requests whose end is ambiguous.
  insecureHTTPParser: false,
};

/** Writes to standard output or standard error without ever blocking the thread. */
function createSink(stream: NodeJS.WriteStream, descriptor: number): Sink {
  // This does not fail for a descriptor that is closed at the start, because Node opens /dev/null for it.
  const stats = fstatSync(descriptor);
  // For a file or a terminal, Node's own stream would write synchronously, and stop the server
  // while the terminal is paused.
  if (!stats.isFIFO() && !stats.isSocket()) return { write: (bytes) => writeFile(descriptor, bytes) };
  // A failed write rejects below. It is also an error of the stream, which would end the process without a listener.
  stream.on("error", () => {});
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
      }),
  };
}

const writeDescriptor = promisify(write);

/**
 * The pause before a write is repeated, in milliseconds. A write to a file in non-blocking mode
 * fails as long as the file is not ready.
 */
const RETRY_DELAY = 20;

/** @returns How many bytes have been written. */
async function writeFile(descriptor: number, bytes: Uint8Array): Promise<number> {
  for (;;) {
    try {
      return (await writeDescriptor(descriptor, bytes)).bytesWritten;
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      await sleep(RETRY_DELAY);
    }
  }
}
