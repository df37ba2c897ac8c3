/** The gate between the socket and the service. It lets requests in only while the service runs, and counts them. */

import type { RequestContext } from "../../http/context.ts";
import { createFinisher, type Finisher } from "../../http/finisher.ts";
import type { Pipeline } from "../../http/pipeline.ts";
import { extendReply, type Reply } from "../../http/reply.ts";
import { chain, type MaybePromise } from "../../promises.ts";
import { CLOSE_FIELD, NOT_SERVING } from "./errors.ts";
import { isLiveness, PROBE_OK } from "./probes.ts";

/**
 * What becomes of a request that comes now:
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
 * Lets requests in while its state is `open`, and answers all others itself. A server that starts opens its gate. One that ends first
 * refuses requests while those in flight are answered, then holds them while its listener stops, and at last refuses those too. A start that
 * fails goes from `starting` to `refusing`.
 */
export class DrainGate {
  #state: State = { kind: "starting" };
  /** Finishes the replies of the gate itself. After `open()`, it is that of the service, which has observers. */
  #finisher: Finisher = createFinisher({ requestIds: "failures" });
  /** How many requests have no response yet. It includes those that are held. */
  #inFlight = 0;
  /** Called when `#inFlight` falls to 0. It resolves the promise of `refuse()`, which is the only one that waits. */
  #onEmpty = () => {};

  /**
   * Lets requests in, which the service of `pipeline` answers. If the gate is open, the requests that come from now on get this service in
   * place of the former one. A gate that lets no more requests in stays as it is: a reset may end late.
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
   * Holds the requests that come from now on, until {@link end} refuses them. A client that waits for a response sends nothing else and
   * opens no connection. So when the listener stops, no request gets lost in a connection that is closed as idle or was never accepted.
   */
  hold(): void {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    this.#state = { kind: "holding", held, release };
  }

  /** Refuses the requests that are held, and all that come from now on. */
  end(): void {
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
    const letOut = (reply: Reply) => send(this.#letOut(reply));
    if (this.#state.kind === "open") return this.#state.pipeline.respond(context, letOut);
    return chain(this.#answerItself(context), letOut);
  }

  /** Counts a reply. It ends its connection if the server ends, also if the request came before. */
  #letOut(reply: Reply): Reply {
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
