/** The gate between the socket and the service. It lets requests in only while the service runs, and counts them. */

import type { RequestContext } from "../../http/context.ts";
import { createFinisher, type Finisher } from "../../http/finisher.ts";
import type { Pipeline } from "../../http/pipeline.ts";
import { extendReply, type Reply } from "../../http/reply.ts";
import { chain, type MaybePromise } from "../../promises.ts";
import { CLOSE_FIELD, NOT_SERVING } from "./errors.ts";
import { isLiveness, PROBE_OK } from "./probes.ts";

/**
 * What becomes of a request that comes now. A gate goes from `starting` to `open`, when the server has started, and then through `refusing` and
 * `holding` back to `refusing`, when it ends. If the start fails, it goes from `starting` to `refusing`.
 *
 * - `starting` and `refusing`: it gets 503 at once.
 * - `open`: the service answers it.
 * - `holding`: it waits until the state is `refusing` again, and then gets 503.
 *
 * A probe of the liveness succeeds in every state, but waits like any other request while the gate is `holding`.
 */
type State =
  | { kind: "starting" | "refusing" }
  | { kind: "open"; pipeline: Pipeline }
  | { kind: "holding"; held: Promise<void>; release: () => void };

/**
 * Lets requests in while its state is `open`, and answers all others itself. When a server ends, `shutDown()` calls {@link DrainGate.refuse}
 * while the requests in flight are answered, then {@link DrainGate.hold} before its listener stops, and at last
 * {@link DrainGate.refuseHeld}.
 */
export class DrainGate {
  #state: State = { kind: "starting" };
  /** Finishes the replies of the gate itself. After `open()`, it is that of the service, which has observers. */
  #finisher: Finisher = createFinisher({ requestIds: "failures" });
  /** How many requests have no response yet. It includes those that are held. */
  #inFlight = 0;
  /** Called whenever `#inFlight` falls to 0. It resolves the promise of `refuse()`, if somebody waits for that. */
  #onEmpty = () => {};

  /**
   * Lets requests in, which the service of `pipeline` answers. After `POST /reset`, this is called again with a new service, which answers the
   * requests that come from then on. A gate that lets no more requests in stays as it is, because a reset may end after the signal.
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
   * Holds the requests that come from now on, until {@link refuseHeld} is called. A client that waits for a response sends nothing else and
   * opens no connection. So when the listener stops, no request gets lost in a connection that is closed as idle or was never accepted.
   */
  hold(): void {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    this.#state = { kind: "holding", held, release };
  }

  /** Refuses the requests that are held, and all that come from now on. */
  refuseHeld(): void {
    const state = this.#state;
    this.#state = { kind: "refusing" };
    if (state.kind === "holding") state.release();
  }

  /**
   * Answers a request, and sends the reply.
   *
   * @param send The host's way to send a reply to the client. It must not throw.
   * @returns The result of `send`.
   */
  respond<Sent>(context: RequestContext, send: (reply: Reply) => Sent): MaybePromise<Sent> {
    this.#inFlight++;
    const sendCounted = (reply: Reply) => send(this.#countAnswered(reply));
    if (this.#state.kind === "open") return this.#state.pipeline.respond(context, sendCounted);
    return chain(this.#answerItself(context), sendCounted);
  }

  /** Counts a request as answered. If the server ends, the reply closes its connection, also that to a request which came before. */
  #countAnswered(reply: Reply): Reply {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#onEmpty();
    return this.#isEnding() ? extendReply(reply, CLOSE_FIELD) : reply;
  }

  /** Answers a request that comes too early or too late, at once or when it is no longer held. */
  #answerItself(context: RequestContext): MaybePromise<Reply> {
    // A probe of the liveness succeeds: after a failure, a supervisor would restart the server, and cut off the requests in flight.
    const reply = isLiveness(context) ? PROBE_OK : NOT_SERVING;
    const finisher = this.#finisher;
    finisher.begin(context);
    const finish = () => finisher.finish(reply, context);
    return this.#state.kind === "holding" ? this.#state.held.then(finish) : finish();
  }

  /** Whether the server shuts down. Then each response ends its connection. */
  #isEnding(): boolean {
    return this.#state.kind !== "open" && this.#state.kind !== "starting";
  }
}
