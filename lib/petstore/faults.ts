/**
 * A petstore that fails on purpose, to test its clients.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/petstore";
 * import { withFaults } from "@petstore/petstore/faults";
 *
 * // The first two creates are carried out, but their responses are lost.
 * withFaults(createPetstore({ keys: ["pk_example"] }), { lose: 1, operations: ["createPet"], times: 2 });
 * ```
 *
 * @module
 */

import { createHandles } from "../hosts/fetch.ts";
import type { Intercept } from "../http/pipeline.ts";
import { BROKEN_OFF, type Reply } from "../http/reply.ts";
import { createRouter } from "../http/router.ts";
import { createOperation } from "../operations/definition.ts";
import { STORE_UNAVAILABLE } from "../operations/failure_groups.ts";
import { OPERATIONS } from "../operations/table.ts";
import { checkFaults, type Fault, FAULT_FIELD, type FaultOptions, FAULTS } from "./fault_options.ts";
import type { Petstore } from "./petstore.ts";
import { sleep } from "../promises.ts";
import { createService, type Service, serviceOf } from "./service.ts";

export type { FaultOptions, Petstore };

/**
 * Adds faults to some requests of a petstore, which keeps its pets. The header `Petstore-Fault` names the fault of a response.
 *
 * @returns Another petstore. The given one stays without faults.
 * @throws {TypeError} If `petstore` is not what {@link createPetstore} has returned, or an option is unknown or of a wrong type.
 * @throws {RangeError} If a number is out of range.
 */
export function withFaults(petstore: Petstore, options: FaultOptions): Petstore {
  const service = serviceOf(petstore);
  if (!service) throw new TypeError("withFaults() takes a petstore, such as createPetstore({ keys: [key] })");
  const { settings, parts } = service;
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
  return createHandles({ ...failing, respond });
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
