/** As contract_petstore.ts, with a D1 database for each case. */

import { env } from "cloudflare:workers";
import { createD1Store, type D1Binding } from "../../../lib/stores/d1/d1_store.ts";
import { createPetstore as create, type Petstore, type PetstoreOptions } from "../../../mod.ts";
import { HTTP_CONTRACT } from "../../../lib/testing/http/all.ts";
import { petstoreByCase } from "../../support/by_case.ts";

export * from "../../../mod.ts";

export function createPetstore(options: PetstoreOptions): Petstore {
  const databases = env as unknown as Record<string, D1Binding>;
  return petstoreByCase(create(options), (name) => {
    const number = Number.parseInt(name);
    // A case may bring a store.
    return { store: HTTP_CONTRACT[number]?.options?.store ?? createD1Store(databases[`DB${number}`]!) };
  });
}
