/** As contract_petstore.ts, in a Durable Object that belongs to one case: the store is the object's. */

import { createPetstore as create, type Petstore, type PetstoreOptions } from "../../../mod.ts";
import { HTTP_CONTRACT } from "../../../lib/testing/http/all.ts";
import { petstoreByCase } from "../../support/by_case.ts";

export * from "../../../mod.ts";

export function createPetstore(options: PetstoreOptions): Petstore {
  return petstoreByCase(create(options), (name) => {
    // A case may bring a store.
    return { store: HTTP_CONTRACT[Number.parseInt(name)]?.options?.store ?? options.store! };
  });
}
