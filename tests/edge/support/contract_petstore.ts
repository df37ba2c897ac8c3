/**
 * The library in a host under test: `createPetstore()` gives each case of the HTTP contract a petstore with that case's
 * options, which may be functions and could not be sent through a socket. So the mounting file needs no change for tests.
 */

import { createHandle, pipelineOf } from "../../../lib/hosts/fetch.ts";
import type { Exchange } from "../../../lib/http/exchange.ts";
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
  const pipelineFor = (exchange: Exchange) => {
    const name = exchange.header(CASE_HEADER);
    return pipelineOf((name === null ? own : petstoreOf(name)).handle)!;
  };
  // createNodeListener() finds the pipeline of this handle, as it does with the library's own.
  return {
    handle: createHandle({
      respond: (exchange) => pipelineFor(exchange).respond(exchange),
      fail: (thrown, exchange) => pipelineFor(exchange).fail(thrown, exchange),
    }),
  };
}
