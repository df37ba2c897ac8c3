import assert from "node:assert/strict";
import { createPetstore, type PetstoreOptions } from "@petstore/petstore";
import { type ClientOptions, createClient, type Pets, PetstoreError } from "../mod.ts";

export const KEY = "pk_test";

/** The calls of a client whose requests get these answers. Each is sent once, unless `more` says otherwise. */
export function answeredBy(
  answer: (request: Request) => Response | Promise<Response>,
  more: Partial<ClientOptions> = {},
): Pets {
  const fetch = async (request: Request) => await answer(request);
  return createClient({ baseUrl: "http://localhost/v1", key: KEY, fetch, maxRetries: 0, ...more }).pets;
}

/** A client of a new petstore, and the requests that it sends, each once. */
export function inProcess(options: Partial<PetstoreOptions> = {}, more: Partial<ClientOptions> = {}) {
  const petstore = createPetstore({ keys: [KEY], onError: () => {}, ...options });
  const requests: Request[] = [];
  const fetch = (request: Request) => {
    requests.push(request);
    return petstore.handle(request);
  };
  return { pets: answeredBy(fetch, more), petstore, requests };
}

/** The error that a call of the client ends with. */
export async function failed(call: Promise<unknown>): Promise<PetstoreError> {
  const [outcome] = await Promise.allSettled([call]);
  assert.ok(outcome?.status === "rejected" && outcome.reason instanceof PetstoreError, String(outcome));
  return outcome.reason;
}
