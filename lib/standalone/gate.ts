/** Which requests are let in: those that come after the start and before the end. Counts them until they are answered. */

import { type Answer, JSON_FIELDS } from "../http/answer.ts";
import { finish } from "../http/dispatch.ts";
import { HttpError } from "../http/errors.ts";
import { splitUrl } from "../http/routing.ts";
import { chain } from "../pending.ts";

/** What `Deno.serve` calls. */
export type ServeHandler = Deno.ServeHandler<Deno.NetAddr>;

/** What a request comes to. */
export interface Service {
  /** Answers a request. */
  handle: ServeHandler;
  /** Sends an answer that was made without looking at the request, to be logged and read by web pages like any other. */
  send?: (answer: Answer, ...request: Parameters<ServeHandler>) => Response;
}

/** The answer to a request that comes too early or too late. */
export const CLOSED = new HttpError(503, "store_unavailable", "The server is starting or stopping; try again later", {
  "retry-after": "1",
  // For whoever keeps a connection open to a server that is about to end.
  "connection": "close",
});

/** The answer of a probe that has nothing to complain about. */
export const OK: Answer = { status: 200, headers: JSON_FIELDS, body: '{"status":"ok"}' };

function isLiveness({ url, method }: Request): boolean {
  return splitUrl(url).path === "/livez" && (method === "GET" || method === "HEAD");
}

/** Shut at first: every request is answered with 503. */
export class Gate {
  #handler: ServeHandler | undefined;
  #inFlight = 0;
  #whenEmpty = () => {};
  #send: NonNullable<Service["send"]> = (answer, request) => finish(answer, request);

  /** Lets requests in, to this service. */
  open({ handle, send }: Service): void {
    this.#handler = handle;
    if (send) this.#send = send;
  }

  /** Lets none in any more, and resolves when those that are in have been answered. */
  close(): Promise<void> {
    this.#handler = undefined;
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenEmpty = resolve);
  }

  /** Answers a request, or refuses it. */
  readonly handle: ServeHandler = (request, info) => {
    const handler = this.#handler;
    // Alive it is all the same: whoever restarts what is not would cut the requests that are waited for.
    if (!handler) return this.#send(isLiveness(request) ? OK : CLOSED.toAnswer(), request, info);
    this.#inFlight++;
    return chain(handler(request, info), (response) => {
      if (--this.#inFlight === 0) this.#whenEmpty();
      return response;
    });
  };
}
