/**
 * The library in a host under test: `createPetstore()` gives each case of the HTTP contract a petstore with that case's
 * options, which may be functions and could not be sent through a socket. So the mounting file needs no change for tests.
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

/** A request without a case goes to the petstore that the app has made. */
export function createPetstore(options: library.PetstoreOptions): library.Petstore {
  const own = library.createPetstore(options);
  return {
    handle: (request) => {
      const name = request.headers.get(CASE_HEADER);
      return (name === null ? own : petstoreOf(name)).handle(request);
    },
  };
}
