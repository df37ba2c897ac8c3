/**
 * Sends an Error body where Node would send none, and finds requests that Node accepts although RFC
 * 9112 forbids it.
 */

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { nextTick } from "node:process";
import { fieldOf } from "../../hosts/node_fields.ts";
import type { Problem } from "../../http/problem.ts";
import { MALFORMED, UNREADABLE } from "../serving/errors.ts";

/** Whether a request that Node has accepted has a head that must be refused (RFC 9112). */
export function isMalformed(incoming: IncomingMessage): boolean {
  const { httpVersion } = incoming;
  // HTTP/1.1 requires a Host (§3.2). More than one Host is refused later, as an invalid one.
  if (httpVersion === "1.1") return fieldOf(incoming, "host") === null;
  // Transfer-Encoding in HTTP/1.0 is faulty framing (§6.1). Other versions are refused: Node takes
  // a request line without one for HTTP/0.9.
  return httpVersion !== "1.0" || fieldOf(incoming, "transfer-encoding") !== null;
}

/** The open connections, each with its latest response, or undefined before its first request. */
export type Connections = Map<Socket, ServerResponse | undefined>;

/** Makes a server answer what Node cannot read, and close the connection then. */
export function refuseUnreadable(server: Server, connections: Connections): void {
  server.on("clientError", (error: Error & { code?: string }, socket) => {
    refuse(socket as Socket, UNREADABLE[error.code ?? ""] ?? MALFORMED, connections);
  });
  server.on("connect", (_request, socket) => refuse(socket as Socket, MALFORMED, connections));
}

function refuse(socket: Socket, problem: Problem, connections: Connections): void {
  const latest = connections.get(socket);
  const isAwaitingRequest = !latest || (latest.req.complete && latest.writableFinished);
  if (isAwaitingRequest) {
    // What cannot be read is a new request.
    close(socket, problem);
  } else if (latest.req.complete) {
    // What cannot be read is a new request too. The refusal waits until the latest response has
    // been sent: the client would take it for this response.
    latest.on("close", () => close(socket, problem));
  } else {
    // What cannot be read is the body of the latest request. Its one response is the refusal,
    // unless another one has begun.
    const closeRequest = () => close(socket, latest.headersSent ? undefined : problem);
    // A response has a socket when its turn on the connection has come. Before that, Node still
    // sends an earlier response.
    if (latest.socket || latest.writableFinished) closeRequest();
    else latest.on("socket", () => nextTick(closeRequest));
  }
}

/** Closes a connection when all is sent: what Node sends already, and then the problem, if there is one. */
function close(socket: Socket, problem: Problem | undefined): void {
  if (problem && socket.writable) socket.write(render(problem));
  socket.destroySoon();
}

function render({ status, headers, body }: Problem): string {
  const allHeaders = { ...headers, "content-length": body.length, date: new Date().toUTCString() };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
