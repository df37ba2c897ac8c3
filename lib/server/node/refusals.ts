/** Answers with an Error body where Node would send none, and refuses what Node would accept against RFC 9112. */

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { nextTick } from "node:process";
import { fieldOf } from "../../hosts/node_request.ts";
import type { Problem } from "../../http/problem.ts";
import { HEAD_TOO_LARGE, MALFORMED, TOO_LATE } from "../service/errors.ts";

/** The refusal for each code of an error of Node. Any other error is about what Node cannot read. */
const REASONS: Record<string, Problem> = { ERR_HTTP_REQUEST_TIMEOUT: TOO_LATE, HPE_HEADER_OVERFLOW: HEAD_TOO_LARGE };

/** Whether Node has accepted a head that is to be refused (RFC 9112). */
export function isMalformed(incoming: IncomingMessage): boolean {
  const { httpVersion } = incoming;
  // §3.2. More than one Host is refused later, as an invalid one.
  if (httpVersion === "1.1") return fieldOf(incoming, "host") === null;
  // A coding in HTTP/1.0 is faulty framing (§6.1). Node takes a request line without a version for HTTP/0.9.
  return httpVersion !== "1.0" || fieldOf(incoming, "transfer-encoding") !== null;
}

/**
 * Answers what Node cannot read, and closes the connection.
 *
 * @param connections Has the last response on each.
 */
export function refuseUnreadable(server: Server, connections: ReadonlyMap<Socket, ServerResponse | undefined>): void {
  const refuse = (socket: Socket, problem: Problem) => {
    const last = connections.get(socket);
    if (!last || (last.req.complete && last.writableFinished)) end(socket, problem);
    // The refusal waits for the response before it: the client would take it for the response to that earlier request.
    else if (last.req.complete) last.on("close", () => end(socket, problem));
    // What cannot be read is the body of a request. That request has one response, and gets the refusal when its turn
    // has come.
    else if (last.socket || last.writableFinished) end(socket, last.headersSent ? undefined : problem);
    else last.on("socket", () => nextTick(() => end(socket, last.headersSent ? undefined : problem)));
  };
  server.on("clientError", (error: Error & { code?: string }, socket) => {
    refuse(socket as Socket, REASONS[error.code ?? ""] ?? MALFORMED);
  });
  server.on("connect", (_request, socket) => refuse(socket as Socket, MALFORMED));
}

function end(socket: Socket, problem: Problem | undefined): void {
  if (problem && socket.writable) socket.write(render(problem));
  socket.destroySoon();
}

function render({ status, headers, body }: Problem): string {
  const fields = { ...headers, "content-length": body.length, date: new Date().toUTCString() };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
