/** The door between the socket and the service: shut before the start and after the end. Counts the requests inside. */

import { FetchExchange, sendAnswer } from "../hosts/fetch.ts";
import { type Answer, extendAnswer, JSON_FIELDS } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { createPipeline, type Guard, type Pipeline } from "../http/pipeline.ts";
import { splitTarget } from "../http/routing.ts";
import { chain } from "../pending.ts";
import type { AccessLog } from "./log/access_log.ts";
import { CLOSE, CLOSED } from "./refusals.ts";

/** The handler that `Deno.serve` calls. */
export type ServeHandler = Deno.ServeHandler<Deno.NetAddr>;

/** The answer of a probe that finds nothing wrong. */
export const OK: Answer = { status: 200, headers: JSON_FIELDS, body: '{"status":"ok"}' };

/** Shut at first: every request is answered with 503. */
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

  /** Lets requests in, to a pipeline whose first guard is {@link guard}, and notes them in a log. */
  open(pipeline: Pipeline, log?: AccessLog): void {
    this.#pipeline = pipeline;
    this.#log = log;
    this.#state = "open";
  }

  /** Lets no more requests in. Resolves when those that are in have been answered. */
  close(): Promise<void> {
    this.#state = "stopping";
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenEmpty = resolve);
  }

  /**
   * Makes the requests that come from now on wait; {@link release} refuses them. A client that waits for an answer sends
   * nothing and opens no connection. So when the listener stops, no request is on its way to it, and none is lost in a
   * connection that is closed as idle or was never accepted.
   */
  hold(): void {
    this.#held = new Promise((resolve) => this.#release = resolve);
  }

  /** Answers the requests that wait. */
  release(): void {
    this.#held = undefined;
    this.#release();
  }

  /** Refuses what comes too early or too late. */
  readonly guard: Guard = (exchange) => {
    if (this.#state === "open") return undefined;
    // The server is alive: to restart it now would cut the requests that it is waiting for.
    const answer = isLiveness(exchange) ? OK : CLOSED.toAnswer();
    return this.#held ? this.#held.then(() => answer) : answer;
  };

  /** Answers a request, or refuses it. */
  readonly handle: ServeHandler = (request, info) => {
    const startedAt = performance.now();
    const exchange = new FetchExchange(request);
    const pipeline = this.#pipeline;
    this.#inFlight++;
    return chain(pipeline.respond(exchange), (answer) => {
      if (--this.#inFlight === 0) this.#whenEmpty();
      this.#log?.(info.remoteAddr.hostname, exchange.method, exchange.target, answer.status, startedAt);
      return sendAnswer(this.#state === "stopping" ? extendAnswer(answer, CLOSE) : answer, exchange, pipeline);
    });
  };
}

function isLiveness({ target, method }: Exchange): boolean {
  return splitTarget(target).path === "/livez" && (method === "GET" || method === "HEAD");
}
