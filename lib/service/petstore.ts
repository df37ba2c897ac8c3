/** The service: its routes, and one request's way through them. */

import type { HeaderFields } from "../http/answer.ts";
import { AnswerCache } from "../http/kept_answers.ts";
import { createBodyReader } from "../http/body.ts";
import {
  createDispatcher,
  type Dispatcher,
  type FailureHandler,
  finish,
  type OperationRoute,
  type Reply,
} from "../http/dispatch.ts";
import { HttpError } from "../http/errors.ts";
import { LargeAnswers } from "../http/large_answers.ts";
import { DEPRECATED_SINCE, SUNSET } from "./contract.ts";
import { createPet, getPet, listPets } from "./operations.ts";
import { checkOptions, type PetstoreOptions, type Settings } from "./options.ts";
import { INTERNAL_ERROR, NO_STORE_ORDERS, STORE_UNAVAILABLE } from "./refusals.ts";
import { chain, isPending, type Pending } from "../pending.ts";
import { type PetStore, StoreUnavailableError } from "../stores/store.ts";

/** A mounted service. */
export interface Petstore {
  /**
   * Answers one request. Needs no `this`, never rejects, and answers every failure with an Error body. Every request
   * it is given needs a key (a CORS preflight aside); what is not below the base path is answered with 404.
   */
  handle: (request: Request) => Promise<Response>;
}

/** Bytes of answers that are kept, of the younger and of the older generation each. */
const MAX_CACHE_WEIGHT = 16 * 1024 * 1024;

/**
 * Makes a Petstore service. Two of them share nothing.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createPetstore } from "@petstore/petstore";
 *
 * const petstore = createPetstore({ keys: ["pk_example"] });
 * const answer = await petstore.handle(
 *   new Request("http://localhost/v1/pets", {
 *     method: "POST",
 *     headers: { authorization: "Bearer pk_example", "content-type": "application/json" },
 *     body: '{"name":"Rex","categoryId":7}',
 *   }),
 * );
 * assert.equal(await answer.text(), '{"id":1,"name":"Rex","categoryId":7,"status":"available"}');
 * ```
 *
 * @throws {TypeError} If an option is missing, unknown or wrong.
 */
export function createPetstore(options: PetstoreOptions): Petstore {
  const settings = checkOptions(options);
  const { basePath, checkKey, cors } = settings;
  const onFailure = createFailureHandler(settings.onError);
  const largeAnswers = new LargeAnswers();
  const dispatch = withCache(createDispatcher(basePath, createRoutes(settings), onFailure), settings.store);

  function seal(reply: Reply, request: Request): Pending<Response> {
    return chain(
      largeAnswers.fit(reply, request),
      (fitting) => finish(cors ? cors.extend(fitting, request) : fitting, request),
    );
  }

  function fail(thrown: unknown, request: Request): Pending<Response> {
    return seal(onFailure(thrown, request), request);
  }

  function reply(request: Request): Pending<Reply> {
    const preflight = cors?.preflight(request);
    if (preflight) return preflight;
    const checked = checkKey(request.headers.get("authorization"));
    if (isPending(checked)) return checked.then((refused) => refused?.toAnswer() ?? dispatch(request));
    return checked?.toAnswer() ?? dispatch(request);
  }

  /** What an app's own reply cannot be sealed with, a body that was read before for one, is an error like any other. */
  function sealOrFail(reply: Reply, request: Request): Pending<Response> {
    try {
      return seal(reply, request);
    } catch (thrown) {
      return fail(thrown, request);
    }
  }

  function handle(request: Request): Promise<Response> {
    // Where nothing is waited for, nothing is put off: a promise too many is a hundredth of the whole answer.
    let made: Pending<Reply>;
    try {
      made = reply(request);
    } catch (thrown) {
      return Promise.resolve(fail(thrown, request));
    }
    if (!isPending(made)) return Promise.resolve(sealOrFail(made, request));
    return made.then((made) => sealOrFail(made, request), (thrown) => fail(thrown, request));
  }

  return { handle };
}

/** The same dispatcher, asked only for what is not known yet, if the store tells when it has changed. */
function withCache(dispatch: Dispatcher, store: PetStore): Dispatcher {
  if (!store.changes) return dispatch;
  const cache = new AnswerCache(() => store.changes!(), MAX_CACHE_WEIGHT);
  return (request) => {
    if (request.method !== "GET") return dispatch(request);
    const { url } = request;
    const known = cache.find(url);
    if (known) return known;
    const since = cache.now();
    return chain(dispatch(request), (reply) => {
      if (!(reply instanceof Response)) cache.keep(url, reply, since);
      return reply;
    });
  };
}

function createRoutes(settings: Settings): OperationRoute[] {
  const { linkBase, maxBodyBytes, bodyTimeoutMs, handleStoreOrders = notImplemented } = settings;
  const readBody = createBodyReader({ maxBytes: maxBodyBytes, timeout: bodyTimeoutMs });
  const deprecation: HeaderFields = {
    deprecation: `@${DEPRECATED_SINCE}`,
    sunset: SUNSET,
    link: `<${linkBase}/pets>; rel="successor-version"`,
  };
  return [
    {
      path: "/pets",
      methods: { GET: (call) => listPets(settings, call), POST: (call) => createPet(settings, readBody, call) },
    },
    { path: "/pets/{petId}", methods: { GET: (call) => getPet(settings, call) }, headers: deprecation },
    { path: "/store/orders", methods: { GET: ({ request }) => chain(handleStoreOrders(request), requireResponse) } },
  ];
}

function notImplemented(): never {
  throw NO_STORE_ORDERS;
}

function requireResponse(response: Response): Response {
  // Response.error() has the status 0, which nothing can be sent with.
  const isWhole = response instanceof Response && !response.bodyUsed && !response.body?.locked;
  if (isWhole && response.status >= 200) return response;
  throw new TypeError(
    "Option handleStoreOrders must return a Response with a status of at least 200 and a body that nobody reads or has read",
  );
}

/** Answers what the library itself meant for the client; of all else the client learns only that it happened. */
export function createFailureHandler(onError: Settings["onError"]): FailureHandler {
  return (thrown, request) => {
    if (thrown instanceof HttpError) return thrown.toAnswer();
    tell(onError, thrown, request);
    return (thrown instanceof StoreUnavailableError ? STORE_UNAVAILABLE : INTERNAL_ERROR).toAnswer();
  };
}

/** A broken log must not turn an answer into none; nor may it end the process, as a rejection that nobody meets does. */
function tell(onError: Settings["onError"], thrown: unknown, request: Request): void {
  try {
    Promise.resolve(onError(thrown, request)).catch(() => {});
  } catch {
    // Thrown at once.
  }
}
