/** The gate between the socket and the service. It lets requests in only while the service runs, and counts them. */

import { extendReply, JSON_FIELDS, type Reply } from "../http/reply.ts";
import type { RequestContext } from "../http/context.ts";
import { createPipeline, type Guard, type Observer, type Pipeline } from "../http/pipeline.ts";
import { splitTarget } from "../http/dispatch.ts";
import { chain, type MaybePromise } from "../maybe_promise.ts";
import { CLOSE, CLOSED } from "./errors.ts";

/** A host's way to send a response to the client. */
export type Send<Info, Sent> = (reply: Reply, context: RequestContext, pipeline: Pipeline, info: Info) => Sent;

/** The response of a successful probe. */
export const OK: Reply = { status: 200, headers: JSON_FIELDS, body: '{"status":"ok"}' };

/** Initially closed: every request gets 503. */
export class DrainGate {
  #state: "starting" | "open" | "stopping" = "starting";
  #pipeline: Pipeline;
  #inFlight = 0;
  #whenEmpty = () => {};
  #held: Promise<void> | undefined;
  #release = () => {};

  /** @param observe Is told of the responses while the gate has no other pipeline. */
  constructor(observe?: Observer) {
    const onFailure = () => CLOSED.toReply();
    const parts = { kept: undefined, dispatch: () => undefined, cors: undefined, onFailure };
    const requestIds = "failures";
    this.#pipeline = createPipeline({ guards: [this.guard], ...parts, requestIds, observe });
  }

  /** Lets requests in. The pipeline's first guard must be {@link guard}. */
  open(pipeline: Pipeline): void {
    this.#pipeline = pipeline;
    this.#state = "open";
  }

  /** Lets no more requests in. Resolves when the requests in flight have been answered. */
  close(): Promise<void> {
    this.#state = "stopping";
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenEmpty = resolve);
  }

  /**
   * Holds later requests until {@link release} refuses them. A client that waits for a response sends nothing else and opens
   * no connection. So when the listener stops, no request gets lost in a connection that is closed as idle or was never
   * accepted.
   */
  hold(): void {
    this.#held = new Promise((resolve) => this.#release = resolve);
  }

  /** Answers the requests that {@link hold} has held. */
  release(): void {
    this.#held = undefined;
    this.#release();
  }

  /** Refuses requests that come too early or too late. */
  readonly guard: Guard = (context) => {
    if (this.#state === "open") return undefined;
    // The server is alive: a restart now would cut off the requests in flight.
    const reply = isLiveness(context) ? OK : CLOSED.toReply();
    return this.#held ? this.#held.then(() => reply) : reply;
  };

  /** Answers a context, and sends the response. */
  reply<Info, Sent>(context: RequestContext, info: Info, send: Send<Info, Sent>): MaybePromise<Sent> {
    const pipeline = this.#pipeline;
    this.#inFlight++;
    return chain(pipeline.respond(context), (reply) => {
      if (--this.#inFlight === 0) this.#whenEmpty();
      return send(this.#state === "stopping" ? extendReply(reply, CLOSE) : reply, context, pipeline, info);
    });
  }
}

function isLiveness({ target, method }: RequestContext): boolean {
  return splitTarget(target).path === "/livez" && (method === "GET" || method === "HEAD");
}
