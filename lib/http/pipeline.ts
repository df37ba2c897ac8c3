import { excerpt } from "../json.ts";
import { chain, isPending, type Pending } from "../pending.ts";
import { type Answer, type Body, withoutBody } from "./answer.ts";
import { conditionalAnswer } from "./conditional.ts";
import type { Cors } from "./cors.ts";
import { type Dispatcher, type FailureHandler, splitTarget } from "./dispatch.ts";
import { HttpError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { KeptAnswers } from "./kept_answers.ts";
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

/** The parts of a pipeline. */
export interface PipelineParts {
  /** In the order in which they are called. */
  guards: readonly Guard[];
  kept: KeptAnswers | undefined;
  dispatch: Dispatcher;
  cors: Cors | undefined;
  onFailure: FailureHandler;
}

/** Creates a pipeline: guards, kept answers, route and operation, then conditional requests, HEAD, large answers and CORS. */
export function createPipeline({ guards, kept, dispatch, cors, onFailure }: PipelineParts): Pipeline {
  const largeAnswers = new LargeAnswers();

  function passGuards(exchange: Exchange, first: number): Pending<Answer> {
    for (let i = first; i < guards.length; i++) {
      const stopped = guards[i]!(exchange);
      if (isPending(stopped)) return stopped.then((stopped) => stopped ?? passGuards(exchange, i + 1));
      if (stopped) return stopped;
    }
    const known = exchange.method === "GET" ? kept?.find(exchange.targetKey) : undefined;
    return known ?? dispatch(exchange) ?? routeNotFound(exchange);
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

  return {
    // Not attempt() and chain(): their two promises would cost a create about 0.1 µs on Deno.
    respond(exchange) {
      let answer: Pending<Answer>;
      try {
        answer = passGuards(exchange, 0);
      } catch (thrown) {
        answer = onFailure(thrown, exchange);
      }
      if (!isPending(answer)) return finishOrFail(answer, exchange);
      return answer.then(
        (answer) => finishOrFail(answer, exchange),
        (thrown) => finishOrFail(onFailure(thrown, exchange), exchange),
      );
    },
    fail: onFailure,
  };
}

function isLarge(body: Body): body is string | Uint8Array<ArrayBuffer> {
  return (typeof body === "string" || body instanceof Uint8Array) && body.length > PIECE;
}

function routeNotFound({ target }: Exchange): Answer {
  const path = JSON.stringify(excerpt(splitTarget(target).path));
  return new HttpError("route_not_found", `There is nothing at ${path}`).toAnswer();
}
