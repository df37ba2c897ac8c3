/** The gate between the socket and the service. It lets requests in only while the service runs, and counts them. */

import { type Answer, extendAnswer, JSON_FIELDS } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { createPipeline, type Guard, type Pipeline } from "../http/pipeline.ts";
import { splitTarget } from "../http/dispatch.ts";
import { chain, type Pending } from "../pending.ts";
import type { AccessLog } from "./log/access_log.ts";
import { CLOSE, CLOSED } from "./refusals.ts";

/** A host's way to the client: of a request with its information. */
export interface Carrier<Info, Sent> {
  /** The client's address. */
  clientOf(info: Info): string;
  send(answer: Answer, exchange: Exchange, pipeline: Pipeline, info: Info): Sent;
}

/** The answer of a successful probe. */
export const OK: Answer = { status: 200, headers: JSON_FIELDS, body: '{"status":"ok"}' };

/** Initially closed: every request gets 503. */
export class Gate {
  #state: "starting" | "open" | "stopping" = "starting";
  #pipeline: Pipeline;
  #log: AccessLog | undefined;
  #inFlight = 0;
  #whenEmpty = () => {};
  #held: Promise<void> | undefined;
  #release = () => {};

  constructor() {
    const onFailure = () => CLOSED.toAnswer();
    const parts = { kept: undefined, dispatch: () => undefined, cors: undefined, onFailure };
    this.#pipeline = createPipeline({ guards: [this.guard], ...parts });
  }

  /** Lets requests in. The pipeline's first guard must be {@link guard}. */
  open(pipeline: Pipeline, log?: AccessLog): void {
    this.#pipeline = pipeline;
    this.#log = log;
    this.#state = "open";
  }

  /** Lets no more requests in. Resolves when the requests in flight have been answered. */
  close(): Promise<void> {
    this.#state = "stopping";
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenEmpty = resolve);
  }

  /**
   * Holds later requests until {@link release} refuses them. A client that waits for an answer sends nothing else and opens
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
  readonly guard: Guard = (exchange) => {
    if (this.#state === "open") return undefined;
    // The server is alive: a restart now would cut off the requests in flight.
    const answer = isLiveness(exchange) ? OK : CLOSED.toAnswer();
    return this.#held ? this.#held.then(() => answer) : answer;
  };

  /** Answers an exchange, logs it, and sends the answer. */
  answer<Info, Sent>(exchange: Exchange, info: Info, { clientOf, send }: Carrier<Info, Sent>): Pending<Sent> {
    const startedAt = performance.now();
    const pipeline = this.#pipeline;
    this.#inFlight++;
    return chain(pipeline.respond(exchange), (answer) => {
      if (--this.#inFlight === 0) this.#whenEmpty();
      this.#log?.(clientOf(info), exchange, answer.status, startedAt);
      return send(this.#state === "stopping" ? extendAnswer(answer, CLOSE) : answer, exchange, pipeline, info);
    });
  }
}

function isLiveness({ target, method }: Exchange): boolean {
  return splitTarget(target).path === "/livez" && (method === "GET" || method === "HEAD");
}
