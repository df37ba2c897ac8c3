/** The gate between the socket and the service. It lets requests in only while the service runs, and counts them. */

import type { RequestContext } from "../../http/context.ts";
import { createFinisher, type Finisher } from "../../http/finisher.ts";
import type { Pipeline } from "../../http/pipeline.ts";
import { extendReply, JSON_FIELDS, type Reply } from "../../http/reply.ts";
import { splitTarget } from "../../http/request_text.ts";
import { chain, type MaybePromise } from "../../promises.ts";
import { CLOSE, CLOSED } from "./errors.ts";

/** A host's way to send a reply to the client. */
export type Send<Info, Sent> = (
  reply: Reply,
  context: RequestContext,
  pipeline: Pick<Pipeline, "fail">,
  info: Info,
) => Sent;

/** The reply to a successful probe. */
export const OK: Reply = { status: 200, headers: JSON_FIELDS, body: '{"status":"ok"}' };

/** What stands for the service when a reply needs none. Such a reply can always be sent. */
const NO_SERVICE: Pick<Pipeline, "fail"> = { fail: () => CLOSED };

/** Lets requests in while the server serves. At first it is closed, and every request gets 503. */
export class DrainGate {
  #state: "starting" | "open" | "stopping" = "starting";
  #pipeline: Pipeline | undefined;
  /** Finishes the replies of the gate itself. */
  #finisher: Finisher = createFinisher({ requestIds: "failures" });
  #inFlight = 0;
  #onEmpty = () => {};
  #held: Promise<void> | undefined;
  #release = () => {};

  /** Lets requests in. */
  open(pipeline: Pipeline): void {
    this.#pipeline = pipeline;
    this.#finisher = pipeline.finisher;
    this.#state = "open";
  }

  /** Lets no more requests in. Resolves when the requests in flight have been answered. */
  close(): Promise<void> {
    this.#state = "stopping";
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty = resolve);
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

  /** Answers a request, and sends the reply. */
  respond<Info, Sent>(context: RequestContext, info: Info, send: Send<Info, Sent>): MaybePromise<Sent> {
    const pipeline = this.#state === "open" ? this.#pipeline : undefined;
    this.#inFlight++;
    const sendLast = (reply: Reply) => {
      if (--this.#inFlight === 0) this.#onEmpty();
      const last = this.#state === "stopping" ? extendReply(reply, CLOSE) : reply;
      return send(last, context, pipeline ?? NO_SERVICE, info);
    };
    return pipeline ? pipeline.respond(context, sendLast) : chain(this.#refuse(context), sendLast);
  }

  /** Refuses a request that comes too early or too late. */
  #refuse(context: RequestContext): MaybePromise<Reply> {
    // The server is alive: a restart now would cut off the requests in flight.
    const reply = isLiveness(context) ? OK : CLOSED;
    const finisher = this.#finisher;
    const startedAt = finisher.now();
    const finish = () => finisher.finish(reply, context, startedAt);
    return this.#held ? this.#held.then(finish) : finish();
  }
}

function isLiveness({ target, method }: RequestContext): boolean {
  return splitTarget(target).path === "/livez" && (method === "GET" || method === "HEAD");
}
