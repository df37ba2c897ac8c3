/** The service: its routes, and one request's way through them. */

import type { Header } from "./http/answer.ts";
import { createBodyReader } from "./http/body.ts";
import {
  createDispatcher,
  extendReply,
  type FailureHandler,
  finish,
  type OperationRoute,
  type Reply,
} from "./http/dispatch.ts";
import { HttpError } from "./http/errors.ts";
import { createPet, getPet, listPets } from "./operations.ts";
import { checkOptions, type PetstoreOptions, type Settings } from "./options.ts";
import { attempt, chain, type Pending } from "./pending.ts";
import { StoreUnavailableError } from "./stores/store.ts";

/** A mounted service. */
export interface Petstore {
  /**
   * Answers one request. Needs no `this`, never rejects, and answers every failure with an Error body. Every request
   * it is given needs a key (a CORS preflight aside); what is not below the base path is answered with 404.
   */
  handle: (request: Request) => Promise<Response>;
}

/** Since when `GET /pets/{petId}` is deprecated, in seconds since 1970 (RFC 9745). */
const DEPRECATED_SINCE = 1_795_132_800;
/** When it is to be removed (RFC 8594). It keeps working after that date. */
const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** After how many seconds a client may try again when the store is unavailable. */
const RETRY_AFTER = 5;

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
  const dispatch = createDispatcher(basePath, createRoutes(settings), onFailure);

  function answer(request: Request): Pending<Response> {
    const reply = cors?.preflight(request) ?? attempt<Reply>(
      () => chain(checkKey(request.headers.get("authorization")), () => dispatch(request)),
      (thrown) => onFailure(thrown, request),
    );
    return chain(reply, (reply) => finish(cors ? extendReply(reply, cors.headers(request)) : reply, request.method));
  }

  function handle(request: Request): Promise<Response> {
    // What an app's own answer cannot be finished with, a body that was read before for one, is an error like any other.
    return Promise.resolve(
      attempt(() => answer(request), (thrown) => finish(onFailure(thrown, request), request.method)),
    );
  }

  return { handle };
}

function createRoutes(settings: Settings): OperationRoute[] {
  const { basePath, maxBodyBytes, bodyTimeout, storeOrders = notImplemented } = settings;
  const readBody = createBodyReader({ maxBytes: maxBodyBytes, timeout: bodyTimeout });
  const deprecation: Header[] = [
    ["deprecation", `@${DEPRECATED_SINCE}`],
    ["sunset", SUNSET],
    ["link", `<${basePath}/pets>; rel="successor-version"`],
  ];
  return [
    {
      path: "/pets",
      methods: { GET: (call) => listPets(settings, call), POST: (call) => createPet(settings, readBody, call) },
    },
    { path: "/pets/{petId}", methods: { GET: (call) => getPet(settings, call) }, headers: deprecation },
    { path: "/store/orders", methods: { GET: ({ request }) => chain(storeOrders(request), requireResponse) } },
  ];
}

function notImplemented(): never {
  throw new HttpError(501, "not_implemented", "This petstore has no store orders");
}

function requireResponse(response: Response): Response {
  // Response.error() has the status 0, which nothing can be sent with.
  if (response instanceof Response && response.status >= 200) return response;
  throw new TypeError("Option storeOrders must return a Response with a status of at least 200");
}

/** Answers what the library itself meant for the client; of all else the client learns only that it happened. */
export function createFailureHandler(onError: Settings["onError"]): FailureHandler {
  const unavailable = new HttpError(503, "store_unavailable", "The store is unavailable at present; try again later", [
    ["retry-after", String(RETRY_AFTER)],
  ]);
  const internal = new HttpError(500, "internal_error", "An internal error occurred");
  return (thrown, request) => {
    if (thrown instanceof HttpError) return thrown.toAnswer();
    try {
      onError(thrown, request);
    } catch {
      // A broken log must not turn an answer into none.
    }
    return (thrown instanceof StoreUnavailableError ? unavailable : internal).toAnswer();
  };
}
