/**
 * The library as a host under test gets it: `createPetstore()` gives each case of the HTTP contract a petstore with that
 * case's options, functions included, which could not be sent through a socket. So the mounting file stays as it is
 * documented, and the whole contract runs through it. Bundled into the host; `run` of a case is never called there.
 */

import * as library from "../../../mod.ts";
import { HTTP_CONTRACT } from "../../contract/http/all.ts";
import { KEY } from "../../support/api.ts";
import { CASE_HEADER } from "./case_header.ts";

export * from "../../../mod.ts";

const petstores = new Map<string, library.Petstore>();

function petstoreOf(name: string): library.Petstore {
  const known = petstores.get(name);
  if (known) return known;
  const options = HTTP_CONTRACT[Number.parseInt(name)]?.options;
  const petstore = library.createPetstore({ keys: [KEY], ...options });
  petstores.set(name, petstore);
  return petstore;
}

/** A request that names no case gets the petstore that the app itself has asked for. */
export function createPetstore(options: library.PetstoreOptions): library.Petstore {
  const own = library.createPetstore(options);
  return {
    handle: (request) => {
      const name = request.headers.get(CASE_HEADER);
      return (name === null ? own : petstoreOf(name)).handle(request);
    },
  };
}
