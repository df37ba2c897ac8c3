/** Which requests are let in: those that come after the start and before the end. Counts them until they are answered. */

import { type Answer, JSON_FIELDS } from "../http/answer.ts";
import { finish } from "../http/dispatch.ts";
import { HttpError } from "../http/errors.ts";
import { splitUrl } from "../http/routing.ts";
import { chain, type Pending } from "../pending.ts";

/** What `Deno.serve` calls. */
export type ServeHandler = Deno.ServeHandler<Deno.NetAddr>;

/** What a request comes to. */
export interface Service {
  /** Answers a request. */
  handle: ServeHandler;
  /** Sends an answer that was made without looking at the request, to be logged and read by web pages like any other. */
  send(answer: Answer, ...request: Parameters<ServeHandler>): Response;
}

/** What tells a client to send nothing more on this connection, which the server is about to close. */
const CLOSE = { "connection": "close" };

/** The answer to a request that comes too early or too late. */
export const CLOSED = new HttpError("store_unavailable", "The server is starting or stopping; try again later", {
  "retry-after": "1",
  ...CLOSE,
});

/** The answer of a probe that has nothing to complain about. */
export const OK: Answer = { status: 200, headers: JSON_FIELDS, body: '{"status":"ok"}' };

const LAST_OK: Answer = { ...OK, headers: { ...JSON_FIELDS, ...CLOSE } };

function isLiveness({ url, method }: Request): boolean {
  return splitUrl(url).path === "/livez" && (method === "GET" || method === "HEAD");
}

/** Shut at first: every request is answered with 503. */
export class Gate {
  #handler: ServeHandler | undefined;
  #inFlight = 0;
  #whenEmpty = () => {};
  #send: Service["send"] = (answer, request) => finish(answer, request);
  #isClosed = false;
  #held: Promise<void> | undefined;
  #release = () => {};

  /** Lets requests in, to this service. */
  open({ handle, send }: Service): void {
    this.#handler = handle;
    this.#send = send;
  }

  /** Lets none in any more, and resolves when those that are in have been answered. */
  close(): Promise<void> {
    this.#handler = undefined;
    this.#isClosed = true;
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenEmpty = resolve);
  }

  /**
   * Lets the requests that come from now on wait, each to be refused at {@link release}. A client that waits for an
   * answer sends nothing and opens no connection. So when the listener stops, no request is on its way to it, and none
   * is lost in a connection that is closed as idle or was never accepted.
   */
  hold(): void {
    this.#held = new Promise((resolve) => this.#release = resolve);
  }

  /** Answers the requests that wait. */
  release(): void {
    this.#held = undefined;
    this.#release();
  }

  /** Answers a request, or refuses it. */
  readonly handle: ServeHandler = (request, info) => {
    const handler = this.#handler;
    if (!handler) return this.#refuse(request, info);
    this.#inFlight++;
    return chain(handler(request, info), (response) => {
      if (--this.#inFlight === 0) this.#whenEmpty();
      if (this.#isClosed) response.headers.set("connection", "close");
      return response;
    });
  };

  #refuse(...request: Parameters<ServeHandler>): Pending<Response> {
    // Alive it is all the same: whoever restarts what is not would cut the requests that are waited for.
    const answer = isLiveness(request[0]) ? this.#isClosed ? LAST_OK : OK : CLOSED.toAnswer();
    return this.#held ? this.#held.then(() => this.#send(answer, ...request)) : this.#send(answer, ...request);
  }
}
