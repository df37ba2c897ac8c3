/** The gate between the socket and the service. It lets requests in only while the service runs, and counts them. */

import type { RequestContext } from "../../http/context.ts";
import { createFinisher, type Finisher } from "../../http/finisher.ts";
import type { Pipeline } from "../../http/pipeline.ts";
import { extendReply, type Reply } from "../../http/reply.ts";
import { isGetOf } from "../../http/request_text.ts";
import { chain, type MaybePromise } from "../../promises.ts";
import type { Gate } from "../process/runtime.ts";
import { CLOSE_FIELD, NOT_SERVING } from "./errors.ts";
import { LIVENESS_PATH, PROBE_OK } from "./probes.ts";

/**
 * What becomes of a request that comes now. A gate goes through these states in their order, and
 * never back. A start that fails goes from `starting` to `refusing`.
 *
 * - `starting`: the request gets 503 at once.
 * - `open`: the service answers it.
 * - `refusing`: it gets 503 at once.
 * - `holding`: it waits until the hold ends, and then gets 503. After the hold, it gets 503 at
 *   once.
 *
 * A probe of the liveness succeeds in every state, but waits like any other request while the gate
 * is `holding`.
 */
type State =
  | { kind: "starting" | "refusing" }
  | { kind: "open"; pipeline: Pipeline }
  | { kind: "holding"; held: Promise<void> };

/**
 * Lets requests in while its state is `open`, and answers all others itself. `shutDown()` says why
 * a server ends in these steps.
 */
export class DrainGate implements Gate {
  #state: State = { kind: "starting" };
  /** Finishes the replies of the gate itself. After `open()`, it is that of the service, which has observers. */
  #finisher: Finisher = createFinisher({ requestIds: "failures" });
  /** How many requests have no response yet. It includes those that are held. */
  #inFlight = 0;
  /** Called whenever `#inFlight` falls to 0. `refuse()` sets it, and waits for the first call. */
  #onEmpty = () => {};

  /**
   * Lets requests in, which the service of `pipeline` answers. After `POST /reset`, this is called
   * again with a new service, which answers the requests that come from then on. A gate that lets
   * no more requests in stays as it is, because a reset may end after the signal.
   */
  open(pipeline: Pipeline): void {
    if (this.#isEnding()) return;
    this.#state = { kind: "open", pipeline };
    this.#finisher = pipeline.finisher;
  }

  /** Lets no more requests in. Resolves when the requests in flight have been answered. */
  refuse(): Promise<void> {
    this.#state = { kind: "refusing" };
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty = resolve);
  }

  /**
   * Holds the requests that come from now on.
   *
   * @returns A function that ends the hold. The requests that are held are refused then, and all
   * later ones.
   */
  hold(): () => void {
    const { promise: held, resolve } = Promise.withResolvers<void>();
    this.#state = { kind: "holding", held };
    return resolve;
  }

  respond<Sent>(context: RequestContext, send: (reply: Reply) => Sent): MaybePromise<Sent> {
    this.#inFlight++;
    const sendCounted = (reply: Reply) => send(this.#countAnswered(reply));
    if (this.#state.kind === "open") return this.#state.pipeline.respond(context, sendCounted);
    return chain(this.#answerItself(context), sendCounted);
  }

  /**
   * Counts a request as answered. If the server ends, the reply closes its connection, also that to
   * a request which came before.
   */
  #countAnswered(reply: Reply): Reply {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#onEmpty();
    return this.#isEnding() ? extendReply(reply, CLOSE_FIELD) : reply;
  }

  /** Answers a request that comes too early or too late, at once or when it is no longer held. */
  #answerItself(context: RequestContext): MaybePromise<Reply> {
    // A probe of the liveness succeeds: after a failure, a supervisor would restart the server, and
    // cut off the requests in flight.
    const reply = isGetOf(LIVENESS_PATH, context) ? PROBE_OK : NOT_SERVING;
    const finisher = this.#finisher;
    finisher.begin(context);
    const finish = () => finisher.finish(reply, context);
    return this.#state.kind === "holding" ? this.#state.held.then(finish) : finish();
  }

  /** Whether the server shuts down, or its start has failed. */
  #isEnding(): boolean {
    const { kind } = this.#state;
    return kind === "refusing" || kind === "holding";
  }
}
