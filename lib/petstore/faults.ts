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

import { mix } from "../http/hash.ts";
import { createHandles } from "../hosts/fetch.ts";
import type { RequestContext } from "../http/context.ts";
import { createFinisher } from "../http/finisher.ts";
import type { Operation } from "../http/operation.ts";
import type { Intercept } from "../http/pipeline.ts";
import { cancelBody, type Reply } from "../http/reply.ts";
import { createRouter, type Match } from "../http/router.ts";
import { createOperation } from "../operations/definition.ts";
import { STORE_UNAVAILABLE } from "../operations/failure_groups.ts";
import { OPERATIONS } from "../operations/table.ts";
import { checkFaults, FAULT_FIELD, type FaultOptions, FAULTS } from "./fault_options.ts";
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
  const names = new Map<Match["operation"] | undefined, string>(OPERATIONS.map((definition) => {
    return [createOperation(definition, settings, settings.basePath), definition.id];
  }));
  const find = createRouter([...names.keys()] as Operation[]);
  const faults = checkFaults(options);
  let drawn = 0;
  let left = faults.times;

  /** Draws the fault of a request, and counts it. Only a request of an operation that has faults draws one. */
  function drawFault({ method, target }: RequestContext) {
    const name = names.get(find(method, target)?.operation);
    if (left === 0 || name === undefined || !faults.operations.includes(name)) return undefined;
    // A number from 0 to 1 that follows from the seed and from how many were drawn before. The shares divide that range.
    let place = mix(mix(faults.seed) + drawn) / 2 ** 32;
    drawn++;
    for (const fault of FAULTS) {
      place -= faults[fault];
      if (place >= 0) continue;
      left--;
      return fault;
    }
    return undefined;
  }

  /** Only a request with a valid key draws a fault, so that others use up none. */
  const intercept: Intercept = (context, answer) => {
    const fault = drawFault(context);
    if (!fault) return answer();
    context.fields = { [FAULT_FIELD]: fault };
    if (fault === "delay") return sleep(faults.delayMs).then(answer);
    if (fault === "unavailable") return STORE_UNAVAILABLE;
    return fault === "cut" ? breakOff(context) : answer();
  };

  const failing = createService(settings, { ...parts, intercept });
  // The observer has seen the reply that is lost.
  const unobserved = createFinisher(settings);
  const respond: Service["respond"] = (context, send) =>
    failing.respond(context, (reply) => {
      if (context.fields?.[FAULT_FIELD] !== "lose") return send(reply);
      cancelBody(reply.body);
      return send(unobserved.finish(breakOff(context), context, 0));
    });
  return createHandles({ ...failing, respond });
}

/**
 * Closes the connection, where the host can do that. The body is then never read. Elsewhere, it fails, and the status is 503, so that a
 * client which does not read the body sees no success either.
 */
function breakOff(context: RequestContext): Reply {
  const broken = new TypeError("The connection was cut, which is a fault on purpose");
  const fail = { pull: (controller: ReadableStreamDefaultController) => controller.error(broken) };
  const body = new ReadableStream(context.breakOff ? {} : fail);
  context.breakOff?.();
  return { status: 503, headers: {}, body };
}
