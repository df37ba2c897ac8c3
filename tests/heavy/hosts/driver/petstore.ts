/** `@petstore/petstore` for the programs here: each request can choose a case of the HTTP contract, or of carriage_options.ts. */

import { createPetstore as create, type Petstore, type PetstoreOptions } from "../../../../mod.ts";
import { petstoreByCase } from "../../../support/by_case.ts";
import { createCarriageOptions } from "./carriage_options.ts";

export * from "../../../../mod.ts";

export function createPetstore(options: PetstoreOptions): Petstore {
  const mount = options.basePath === undefined ? {} : { basePath: options.basePath };
  return petstoreByCase(create(options), (name) => {
    return name.startsWith("carriage") ? { ...createCarriageOptions(), ...mount } : mount;
  });
}
