/** A client that keeps its connection, and tells apart the ways in which a request can fail. Deno only. */

import type { SeenResponse } from "../openapi_validator.ts";
import { CutShort, isDisconnection, RawSocket } from "./raw_socket.ts";

/**
 * What became of a request.
 *
 * - `answered`: the answer came whole.
 * - `refused`: there was no connection to send it on.
 * - `unsent`: the connection ended before the request was sent whole, and nothing was answered.
 * - `unanswered`: it was sent whole, and the connection ended before the first byte of an answer. `sinceLast` is how many
 *   milliseconds had passed since the client's request before.
 * - `cut`: the connection ended within the answer.
 *
 * A server that ends in good order may cause the first four. A refused and an unsent request it has not taken. It may close
 * a persistent connection at any time (RFC 9112 §9.5) and cannot know that a request is on its way, so the client must be
 * ready to ask again (§9.3.1), but not for a POST that may have been applied. Hence two conditions for `unanswered`: such a
 * create has not been applied, and the client was idle for a while, because our server announces to a busy one that it is
 * about to close. An answer that has begun, be it with `100 Continue`, must come to its end: §9.6 has a server close in stages.
 */
export type Outcome =
  | { kind: "answered"; answer: SeenResponse }
  | { kind: "refused" | "unsent" }
  | { kind: "unanswered"; sinceLast: number }
  | { kind: "cut"; received: string };

/** Longer than the server's own drain, in milliseconds. */
const GUARD = 15_000;

/** Between the head and the body of a slow client, in milliseconds. */
const PAUSE = 20;

/** Opens a new connection when the server has closed the last one. One request at a time. */
export class Client implements Disposable {
  readonly #port: number;
  #socket: RawSocket | undefined;
  #sentAt = performance.now();

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends a request and reads its answer.
   *
   * @param body Sent after a pause when the server has asked for it; the request has `Expect: 100-continue`. From there on
   * the server knows of the request, and anything but an answer is one that was cut.
   */
  async send(request: string, body?: string): Promise<Outcome> {
    if (!this.#socket || this.#socket.isClosed) this.#socket = await this.#open();
    const socket = this.#socket;
    if (!socket) return { kind: "refused" };
    const sinceLast = performance.now() - this.#sentAt;
    this.#sentAt += sinceLast;
    socket.extend(GUARD);
    let outcome = await read(socket, await socket.send(request), sinceLast);
    if (body !== undefined && outcome.kind === "answered" && outcome.answer.status === 100) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      outcome = await read(socket, await socket.sendRest(body), sinceLast);
      if (outcome.kind !== "answered") outcome = { kind: "cut", received: "HTTP/1.1 100 Continue" };
    }
    if (outcome.kind !== "answered" || endsConnection(outcome.answer)) socket.close();
    return outcome;
  }

  /** Sends a request and closes the connection at once: the server gets it, and the answer reaches no client. */
  async abandon(request: string): Promise<void> {
    using socket = await this.#open();
    await socket?.send(request);
  }

  /** Opens its connection ahead of the first request. */
  async connect(): Promise<boolean> {
    this.#socket = await this.#open();
    return this.#socket !== undefined;
  }

  [Symbol.dispose](): void {
    this.#socket?.close();
  }

  async #open(): Promise<RawSocket | undefined> {
    try {
      // Not validated: these clients are to be as fast as they can.
      return await RawSocket.open({ port: this.#port, validate: () => {} }, GUARD);
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionRefused || isDisconnection(error)) return undefined;
      throw error;
    }
  }
}

/** Whether an answer is the last of its connection. Deno adds the header once more where it has not read the whole body. */
export function endsConnection({ headers }: SeenResponse): boolean {
  return headers.get("connection")?.startsWith("close") ?? false;
}

async function read(socket: RawSocket, isSent: boolean, sinceLast: number): Promise<Outcome> {
  let answer: SeenResponse | undefined;
  try {
    answer = await socket.readResponse();
  } catch (error) {
    if (error instanceof CutShort) return { kind: "cut", received: error.received };
    throw error;
  }
  if (!answer) return isSent ? { kind: "unanswered", sinceLast } : { kind: "unsent" };
  const { status, headers } = answer;
  // Without a length, an answer that was cut would look whole.
  const hasLength = status < 200 || status === 204 || status === 304 || headers.has("content-length");
  if (!hasLength) throw new Error(`An answer without its length: ${status}`);
  if (status >= 200 && socket.unread > 0) throw new Error("More came than one answer");
  return { kind: "answered", answer };
}
