/** The gate between the socket and the service. It lets requests in only while the service runs, and counts them. */

import type { RequestContext } from "../../http/context.ts";
import { createFinisher, type Finisher } from "../../http/finisher.ts";
import type { Pipeline } from "../../http/pipeline.ts";
import { extendReply, type Reply } from "../../http/reply.ts";
import { chain, type MaybePromise } from "../../promises.ts";
import { CLOSE_FIELD, NOT_SERVING } from "./errors.ts";
import { isLiveness, PROBE_OK } from "./probes.ts";

/**
 * A host's way to send a reply to the client. It must not throw. For a reply that cannot be sent, it sends the result of `pipeline.fail()`.
 *
 * @param info What the host needs for that, such as Node's response.
 */
export type Send<Info, Sent> = (
  reply: Reply,
  context: RequestContext,
  pipeline: Pick<Pipeline, "fail">,
  info: Info,
) => Sent;

/** Stands for the service when the gate answers. The replies of the gate can always be sent, so this is for the type alone. */
const NO_SERVICE: Pick<Pipeline, "fail"> = { fail: () => NOT_SERVING };

/**
 * Lets requests in from {@link open} to {@link close}. Before and after, it answers them itself: a probe of the liveness succeeds, and any
 * other request gets 503. A server that shuts down calls `close()`, `hold()` and `release()`, in this order.
 */
export class DrainGate {
  #state: "starting" | "open" | "stopping" = "starting";
  /** The service. It is undefined before `open()`. */
  #pipeline: Pipeline | undefined;
  /** Finishes the replies of the gate itself. After `open()`, it is that of the service, which has observers. */
  #finisher: Finisher = createFinisher({ requestIds: "failures" });
  /** How many requests have no response yet. It includes those that are held. */
  #inFlight = 0;
  /** Called when `#inFlight` falls to 0. It resolves the promise of `close()`, which is the only one that waits. */
  #onEmpty = () => {};
  /** What the requests that come now wait for. It is defined between `hold()` and `release()`, and resolves with `#resolveHeld()`. */
  #held: Promise<void> | undefined;
  #resolveHeld = () => {};

  /** Lets requests in. */
  open(pipeline: Pipeline): void {
    this.replace(pipeline);
    this.#state = "open";
  }

  /** Replaces the service, for the requests that come from now on. */
  replace(pipeline: Pipeline): void {
    this.#pipeline = pipeline;
    this.#finisher = pipeline.finisher;
  }

  /** Lets no more requests in. Resolves when the requests in flight have been answered. */
  close(): Promise<void> {
    this.#state = "stopping";
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty = resolve);
  }

  /**
   * Holds the requests that come from now on, until {@link release} refuses them. A client that waits for a response sends nothing else and
   * opens no connection. So when the listener stops, no request gets lost in a connection that is closed as idle or was never accepted.
   */
  hold(): void {
    this.#held = new Promise((resolve) => this.#resolveHeld = resolve);
  }

  /** Refuses the requests that {@link hold} has held. */
  release(): void {
    this.#held = undefined;
    this.#resolveHeld();
  }

  /**
   * Answers a request, and sends the reply.
   *
   * @returns The result of `send`.
   */
  respond<Info, Sent>(context: RequestContext, info: Info, send: Send<Info, Sent>): MaybePromise<Sent> {
    const pipeline = this.#state === "open" ? this.#pipeline : undefined;
    this.#inFlight++;
    const sendReply = (reply: Reply) => {
      this.#inFlight--;
      if (this.#inFlight === 0) this.#onEmpty();
      // The state may have changed since the request came.
      const sent = this.#state === "stopping" ? extendReply(reply, CLOSE_FIELD) : reply;
      return send(sent, context, pipeline ?? NO_SERVICE, info);
    };
    return pipeline ? pipeline.respond(context, sendReply) : chain(this.#refuse(context), sendReply);
  }

  /** Answers a request that comes too early or too late, at once or when it is no longer held. */
  #refuse(context: RequestContext): MaybePromise<Reply> {
    // A probe of the liveness succeeds: after a failure, a supervisor would restart the server, and cut off the requests in flight.
    const reply = isLiveness(context) ? PROBE_OK : NOT_SERVING;
    const finisher = this.#finisher;
    const startedAt = finisher.now();
    const finish = () => finisher.finish(reply, context, startedAt);
    return this.#held ? this.#held.then(finish) : finish();
  }
}
