/**
 * A petstore in another process, whose requests name a case of the contract. The case's options may be functions, which
 * could not be sent through a socket.
 */

import { createHandles, pipelineOf } from "../../lib/hosts/fetch.ts";
import type { RequestContext } from "../../lib/http/context.ts";
import { createPetstore, type Petstore, type PetstoreOptions } from "../../mod.ts";
import { KEY } from "./api.ts";
import { HTTP_CONTRACT } from "./contract/all.ts";

/** The request header with the number of a case, and a word if the case runs more than once. */
export const CASE_HEADER = "x-contract-case";

const petstores = new Map<string, Petstore>();

/** Requests without a case go to the app's own petstore. `more` gives options beside those of the case. */
export function petstoreByCase(own: Petstore, more: (name: string) => Partial<PetstoreOptions> = () => ({})): Petstore {
  const petstoreOf = (name: string) => {
    const options = { ...HTTP_CONTRACT[Number.parseInt(name)]?.options, ...more(name) };
    const petstore = petstores.get(name) ?? createPetstore({ keys: [KEY], ...options });
    petstores.set(name, petstore);
    return petstore;
  };
  const pipelineFor = (context: RequestContext) => {
    const name = context.header(CASE_HEADER);
    return pipelineOf(name === null ? own : petstoreOf(name))!;
  };
  // createNodeListener() finds this pipeline, as it does with the library's own.
  return createHandles({
    respond: (context, send) => pipelineFor(context).respond(context, send),
    fail: (thrown, context) => pipelineFor(context).fail(thrown, context),
  });
}
