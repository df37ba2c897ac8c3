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
import { createFailingService } from "./failing_service.ts";
import type { FaultOptions } from "./fault_options.ts";
import type { Petstore } from "./petstore.ts";
import { serviceOf } from "./service.ts";

export type { FaultOptions, Petstore };

/**
 * Adds faults to some requests of a petstore, which keeps its pets. The header `Petstore-Fault`
 * names the fault of a response.
 *
 * @returns Another petstore. The given one stays without faults.
 * @throws {TypeError} If `petstore` is not what {@link createPetstore} has returned, or an option
 * is unknown or of a wrong type.
 * @throws {RangeError} If a number is out of range.
 */
export function withFaults(petstore: Petstore, options: FaultOptions): Petstore {
  const service = serviceOf(petstore, "withFaults() takes a petstore, such as createPetstore({ keys: [key] })");
  return createHandles(createFailingService(service, options));
}
