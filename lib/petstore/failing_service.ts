/** The service of a petstore that fails on purpose: of `withFaults()`, and of a server with `--faults`. */

import type { Intercept } from "../http/pipeline.ts";
import { BROKEN_OFF, type Reply } from "../http/reply.ts";
import { createRouter } from "../http/router.ts";
import { createOperation } from "../operations/definition.ts";
import { STORE_UNAVAILABLE } from "../operations/failure_groups.ts";
import { OPERATIONS } from "../operations/table.ts";
import { sleep } from "../promises.ts";
import { checkFaults, type Fault, FAULT_FIELD, type FaultOptions, FAULTS } from "./fault_options.ts";
import { createService, type Service } from "./service.ts";

/**
 * Makes another service of the same settings, which has faults. The given one stays without faults.
 *
 * @throws {TypeError | RangeError} If an option is invalid.
 */
export function createFailingService({ settings, parts }: Service, options: FaultOptions): Service {
  const faults = checkFaults(options);
  const failingOperations = OPERATIONS.filter(({ id }) => faults.operations.includes(id));
  const router = createRouter(failingOperations.map((definition) => createOperation(definition, settings)));
  const drawFault = createDraw(faults);

  /** Only a request with a valid key draws a fault, and only for an operation that has faults, so that others use up none. */
  const intercept: Intercept = (context, answer) => {
    const match = router(context.method, context.target);
    // The router gives the fallback of a path for a method whose operation has no faults.
    const mayFail = match !== undefined && match.operation !== match.route.fallback;
    const fault = mayFail ? drawFault() : undefined;
    if (!fault) return answer();
    context.fields = { [FAULT_FIELD]: fault };
    switch (fault) {
      case "delay":
        return sleep(faults.delayMs).then(answer);
      case "unavailable":
        return STORE_UNAVAILABLE;
      case "cut":
        return BROKEN_REPLY;
      case "lose":
        // The request is carried out. Its response is lost below.
        return answer();
    }
  };

  const failing = createService(settings, { ...parts, intercept });
  const respond: Service["respond"] = (context, send) =>
    failing.respond(context, (reply) => {
      if (context.fields?.[FAULT_FIELD] !== "lose") return send(reply);
      // The observer has seen the reply that is lost.
      return send(failing.finisher.complete(BROKEN_REPLY, context));
    });
  return { ...failing, respond };
}

/** The status is 503, so that a client which does not read the body sees no success either. */
const BROKEN_REPLY: Reply = { status: 503, headers: {}, body: BROKEN_OFF };

/** Returns a function that draws the fault of the next request, if it has one. */
function createDraw(faults: Required<FaultOptions>): () => Fault | undefined {
  let drawnCount = 0;
  let faultsLeft = faults.times;
  return () => {
    if (faultsLeft === 0) return undefined;
    // A number from 0 to 1 that follows from the seed and from how many were drawn before. The shares divide that range.
    let place = mix(mix(faults.seed) + drawnCount) / 2 ** 32;
    drawnCount++;
    for (const fault of FAULTS) {
      place -= faults[fault];
      if (place >= 0) continue;
      faultsLeft--;
      return fault;
    }
    return undefined;
  };
}

/** Mixes 32 bits, one to one, so that each bit of the result depends on each one given, like the end of MurmurHash3. */
function mix(bits: number): number {
  let mixed = bits;
  mixed = Math.imul(mixed ^ mixed >>> 16, 0x85ebca77);
  mixed = Math.imul(mixed ^ mixed >>> 13, 0xc2b2ae3d);
  return (mixed ^ mixed >>> 16) >>> 0;
}
