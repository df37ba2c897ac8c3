import { excerpt } from "../json.ts";
import { chain, isPending, type Pending } from "../pending.ts";
import { type Answer, type Body, extendAnswer, withoutBody } from "./answer.ts";
import { conditionalAnswer } from "./conditional.ts";
import type { Cors } from "./cors.ts";
import { type Dispatcher, type FailureHandler, splitTarget } from "./dispatch.ts";
import { HttpError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { KeptAnswers } from "./kept_answers.ts";
import { withRequestId } from "./request_id.ts";
import { LargeAnswers, PIECE } from "./large_answers.ts";

/** A service, independent of a host. */
export interface Pipeline {
  /** Answers an exchange. Never throws and never rejects. */
  respond(exchange: Exchange): Pending<Answer>;
  /** Handles an exception in a host's adapter, for example when an app's response cannot be sent. */
  fail: FailureHandler;
}

/** Returns an answer to stop an exchange, or `undefined` to let it pass. */
export type Guard = (exchange: Exchange) => Pending<Answer | undefined>;

/**
 * Is told of each answer when it is about to be sent. The caller and the route are those of the exchange. It must not throw.
 *
 * @param startedAt When the exchange arrived, as in `performance.now()`.
 * @param endedAt The present.
 */
export type Observer = (exchange: Exchange, answer: Answer, startedAt: number, endedAt: number) => void;

/** Which answers get the id of their request. */
export type RequestIds = "all" | "failures" | "none";

/** The parts of a pipeline. */
export interface PipelineParts {
  /** In the order in which they are called. */
  guards: readonly Guard[];
  kept: KeptAnswers | undefined;
  dispatch: Dispatcher;
  cors: Cors | undefined;
  onFailure: FailureHandler;
  requestIds?: RequestIds;
  observe?: Observer | undefined;
}

/** Creates a pipeline: guards, kept answers, route and operation, then conditional requests, HEAD, large answers and CORS. */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { guards, kept, dispatch, cors, onFailure, requestIds = "none", observe } = parts;
  /** The lowest status whose answers get an id. */
  const idsFrom = { all: 0, failures: 400, none: Infinity }[requestIds];
  const largeAnswers = new LargeAnswers();

  function passGuards(exchange: Exchange, first: number): Pending<Answer> {
    for (let i = first; i < guards.length; i++) {
      const stopped = guards[i]!(exchange);
      if (isPending(stopped)) return stopped.then((stopped) => stopped ?? passGuards(exchange, i + 1));
      if (stopped) return stopped;
    }
    const known = exchange.method === "GET" ? kept?.find(exchange.targetKey) : undefined;
    if (!known) return dispatch(exchange) ?? routeNotFound(exchange);
    exchange.route = known.route;
    return known;
  }

  function finish(answer: Answer, exchange: Exchange): Pending<Answer> {
    const wanted = conditionalAnswer(answer, exchange);
    const { body } = wanted;
    const sent = exchange.method === "HEAD"
      ? withoutBody(wanted)
      : isLarge(body)
      ? largeAnswers.send(wanted, body)
      : wanted;
    return cors ? chain(sent, (sent) => cors.extend(sent, exchange)) : sent;
  }

  function finishOrFail(answer: Answer, exchange: Exchange): Pending<Answer> {
    try {
      const finished = finish(answer, exchange);
      return isPending(finished) ? finished.catch((thrown) => onFailure(thrown, exchange)) : finished;
    } catch (thrown) {
      return onFailure(thrown, exchange);
    }
  }

  function identify(answer: Answer, exchange: Exchange): Answer {
    return answer.status < idsFrom ? answer : withRequestId(answer, exchange);
  }

  function end(answer: Answer, exchange: Exchange, startedAt: number): Pending<Answer> {
    const finished = finishOrFail(answer, exchange);
    return isPending(finished)
      ? finished.then((finished) => tell(finished, exchange, startedAt))
      : tell(finished, exchange, startedAt);
  }

  function tell(answer: Answer, exchange: Exchange, startedAt: number): Answer {
    const { fields } = exchange;
    const whole = identify(fields ? extendAnswer(answer, fields) : answer, exchange);
    observe?.(exchange, whole, startedAt, performance.now());
    return whole;
  }

  return {
    // Not attempt() and chain(): their two promises would cost a create about 0.1 µs on Deno.
    respond(exchange) {
      const startedAt = observe ? performance.now() : 0;
      let answer: Pending<Answer>;
      try {
        answer = passGuards(exchange, 0);
      } catch (thrown) {
        answer = onFailure(thrown, exchange);
      }
      if (!isPending(answer)) return end(answer, exchange, startedAt);
      return answer.then(
        (answer) => end(answer, exchange, startedAt),
        (thrown) => end(onFailure(thrown, exchange), exchange, startedAt),
      );
    },
    fail: (thrown, exchange) => identify(onFailure(thrown, exchange), exchange),
  };
}

function isLarge(body: Body): body is string | Uint8Array<ArrayBuffer> {
  return (typeof body === "string" || body instanceof Uint8Array) && body.length > PIECE;
}

function routeNotFound({ target }: Exchange): Answer {
  const path = JSON.stringify(excerpt(splitTarget(target).path));
  return new HttpError("route_not_found", `There is nothing at ${path}`).toAnswer();
}
