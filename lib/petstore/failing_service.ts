/**
 * Makes a petstore fail on purpose, for `withFaults()` and for a server with `--faults`. Each call
 * of an operation may draw a fault before the operation is carried out. The fault `lose` acts
 * later, when the reply is sent.
 */

import { hashText } from "../http/hash.ts";
import type { Handler } from "../http/operation.ts";
import { BROKEN_OFF, type Reply } from "../http/reply.ts";
import { withoutCache } from "../operations/definition.ts";
import { STORE_UNAVAILABLE } from "../operations/failure_groups.ts";
import { sleep } from "../promises.ts";
import { checkFaults, type Fault, type FaultOptions, FAULTS } from "./fault_options.ts";
import { createService, type Service } from "./service.ts";

/** The status is 503, so that a client which does not read the body sees no success either. The body breaks off. */
const BROKEN_REPLY: Reply = { status: 503, headers: {}, body: BROKEN_OFF };

/**
 * Makes another service of the same settings, some of whose requests fail. The given one stays
 * without faults.
 *
 * @throws {TypeError | RangeError} If an option is invalid.
 */
export function createFailingService({ settings, extras }: Service, options: FaultOptions): Service {
  const faults = checkFaults(options);
  const drawFault = createDraw(faults);
  const failing = createService(settings, {
    ...extras,
    adaptOperation(given, id) {
      // The petstore may have faults already, such as those of another operation.
      const operation = extras.adaptOperation?.(given, id) ?? given;
      // Only a call of an operation that has faults draws one, so that other requests use up none.
      if (!faults.operations.includes(id)) return operation;
      return { ...operation, handler: withDraws(operation.handler, drawFault, faults.delayMs) };
    },
  });
  return { ...failing, respond: withLosses(failing) };
}

/** Lets each call of an operation draw a fault. */
function withDraws(handler: Handler, drawFault: () => Fault | undefined, delayMs: number): Handler {
  // From the cache, a reply would be sent without a draw.
  const answer = withoutCache(handler);
  return (call) => {
    const { context } = call;
    // A request has one fault at most, also if its petstore got faults several times.
    const fault = context.fault === undefined ? drawFault() : undefined;
    if (!fault) return answer(call);
    context.fault = fault;
    switch (fault) {
      case "delay":
        return sleep(delayMs).then(() => answer(call));
      case "unavailable":
        return STORE_UNAVAILABLE;
      case "cut":
        return BROKEN_REPLY;
      case "lose":
        // The request is carried out. `withLosses()` then replaces its reply.
        return answer(call);
    }
  };
}

/**
 * Sends a broken reply in place of one whose request has drawn `lose`. The observer of the service
 * has been told of the real one.
 */
function withLosses({ respond, finisher }: Service): Service["respond"] {
  return (context, send) =>
    respond(context, (reply) => {
      const isLost = context.fault === "lose";
      return send(isLost ? finisher.prepare(BROKEN_REPLY, context) : reply);
    });
}

/** Returns a function that draws the fault of the next request, if it has one. */
function createDraw(faults: Required<FaultOptions>): () => Fault | undefined {
  let drawnCount = 0;
  let faultsLeft = faults.times;
  return () => {
    if (faultsLeft === 0) return undefined;
    // A number from 0 to 1 that follows from the seed and from how many were drawn before.
    const drawn = (hashText(`request ${drawnCount} `, faults.seed) >>> 0) / 2 ** 32;
    drawnCount++;
    const fault = faultAt(drawn, faults);
    if (fault) faultsLeft--;
    return fault;
  };
}

/**
 * The shares of the faults divide the range from 0 to 1, one after the other. What is left of it is
 * without a fault.
 */
function faultAt(drawn: number, shares: Required<FaultOptions>): Fault | undefined {
  let end = 0;
  return FAULTS.find((fault) => {
    end += shares[fault];
    return drawn < end;
  });
}
