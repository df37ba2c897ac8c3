/** A client that keeps its connection and tells apart how a request can fail. Deno only. */

import type { SeenResponse } from "../openapi_validator.ts";
import { isDisconnection, RawSocket } from "./raw_socket.ts";
import { CutShort } from "./response_reader.ts";

/**
 * The outcome of a request.
 *
 * - `answered`: the whole response came.
 * - `refused`: no connection could be opened.
 * - `unsent`: the connection ended before the whole request was sent, without a response.
 * - `unanswered`: it ended later, before a response, `sinceLast` ms after the client's request before.
 * - `cut`: it ended within the response.
 *
 * A server that shuts down properly may cause all but the last: it may close an idle connection at any time (RFC 9112
 * §9.5). So an `unanswered` create must not have been applied, and its client must have been idle: our server warns
 * busy clients. A response that has begun, even with `100 Continue`, must be completed (§9.6).
 */
export type Outcome =
  | { kind: "answered"; response: SeenResponse }
  | { kind: "refused" | "unsent" }
  | { kind: "unanswered"; sinceLast: number }
  | { kind: "cut"; received: string };

/** Longer than the server's own drain, in milliseconds. */
const GUARD = 15_000;

/** The pause between the head and the body of a slow client, in milliseconds. */
const PAUSE = 20;

/** Opens a new connection after the server has closed the last one. Sends one request at a time. */
export class Client implements Disposable {
  readonly #port: number;
  #socket: RawSocket | undefined;
  #sentAt = performance.now();

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request. With `Expect: 100-continue`, `body` follows later, and a missing response then counts as cut. */
  async send(request: string, body?: string): Promise<Outcome> {
    if (!this.#socket || this.#socket.isClosed) this.#socket = await this.#open();
    const socket = this.#socket;
    if (!socket) return { kind: "refused" };
    const sinceLast = performance.now() - this.#sentAt;
    this.#sentAt += sinceLast;
    socket.extend(GUARD);
    let outcome = await read(socket, await socket.send(request), sinceLast);
    if (body !== undefined && outcome.kind === "answered" && outcome.response.status === 100) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      outcome = await read(socket, await socket.sendRest(body), sinceLast);
      if (outcome.kind !== "answered") outcome = { kind: "cut", received: "HTTP/1.1 100 Continue" };
    }
    if (outcome.kind !== "answered" || endsConnection(outcome.response)) socket.close();
    return outcome;
  }

  /** Sends a request and closes the connection at once: the server gets it, and the client gets no response. */
  async abandon(request: string): Promise<void> {
    using socket = await this.#open();
    await socket?.send(request);
  }

  [Symbol.dispose](): void {
    this.#socket?.close();
  }

  async #open(): Promise<RawSocket | undefined> {
    try {
      // The responses are not validated, because these clients are to be as fast as they can.
      return await RawSocket.open({ port: this.#port, validate: () => {} }, GUARD);
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionRefused || isDisconnection(error)) return undefined;
      throw error;
    }
  }
}

/** Whether a response is the last of its connection. Deno repeats the header if it has not read the whole body. */
function endsConnection({ headers }: SeenResponse): boolean {
  return headers.get("connection")?.startsWith("close") ?? false;
}

async function read(socket: RawSocket, isSent: boolean, sinceLast: number): Promise<Outcome> {
  let response: SeenResponse | undefined;
  try {
    response = await socket.readResponse();
  } catch (error) {
    if (error instanceof CutShort) return { kind: "cut", received: error.received };
    throw error;
  }
  if (!response) return isSent ? { kind: "unanswered", sinceLast } : { kind: "unsent" };
  const { status, headers } = response;
  // Without a length, a response that was cut would look whole.
  const hasLength = status < 200 || status === 204 || status === 304 || headers.has("content-length");
  if (!hasLength) throw new Error(`A response without its length: ${status}`);
  if (status >= 200 && socket.unread > 0) throw new Error("More came than one response");
  return { kind: "answered", response };
}
