/** The library in a host under test, where a request can choose a case. So the mounting file needs no change for tests. */

import { createPetstore as create, type Petstore, type PetstoreOptions } from "../../../../mod.ts";
import { petstoreByCase } from "../../../support/by_case.ts";

export * from "../../../../mod.ts";

export function createPetstore(options: PetstoreOptions): Petstore {
  return petstoreByCase(create(options));
}
