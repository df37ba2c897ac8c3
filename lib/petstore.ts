/** The service: its routes, and one request's way through them. */

import { type Answer, extendResponse, type Header, toResponse } from "./http/answer.ts";
import { createBodyReader } from "./http/body.ts";
import { HttpError } from "./http/errors.ts";
import { createRouter, type Route, splitUrl } from "./http/routing.ts";
import { excerpt } from "./json.ts";
import { type Call, createPet, getPet, listPets } from "./operations.ts";
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

/** Seconds after which a client may try again when the store is unavailable. */
const RETRY_AFTER = 5;

/**
 * Since when `GET /pets/{petId}` is deprecated (RFC 9745), when it is to be removed (RFC 8594), and what replaces it
 * (RFC 5829).
 */
const DEPRECATED_SINCE = 1_795_132_800;
const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

type Reply = Answer | Response;
type Operation = (call: Call) => Pending<Reply>;

interface PetstoreRoute extends Route {
  methods: ReadonlyMap<string, Operation>;
  /** Carried by every answer of the route, the failures included. */
  headers: Header[];
}

/**
 * Makes a Petstore service. Two of them share nothing.
 *
 * @example
 * ```ts
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
 * console.assert(await answer.text() === '{"id":1,"name":"Rex","categoryId":7,"status":"available"}');
 * ```
 *
 * @throws {TypeError} If an option is missing, unknown or wrong.
 */
export function createPetstore(options: PetstoreOptions): Petstore {
  const settings = checkOptions(options);
  const { basePath, checkKey, cors, onError } = settings;
  const findRoute = createRouter(basePath, createRoutes(settings));

  function handle(request: Request): Promise<Response> {
    const preflight = cors?.preflight(request);
    const reply = preflight ?? attempt<Reply>(
      () => chain(checkKey(request.headers.get("authorization")), () => dispatch(request)),
      (thrown) => toAnswer(thrown, request, onError),
    );
    const headers = cors ? cors.headers(request) : [];
    return Promise.resolve(chain(reply, (reply) => finish(reply, request.method, headers)));
  }

  function dispatch(request: Request): Pending<Reply> {
    const { path, query } = splitUrl(request.url);
    const match = findRoute(path);
    if (!match) throw new HttpError(404, "route_not_found", `There is nothing at ${JSON.stringify(excerpt(path))}`);
    const { route, parameter } = match;
    const reply = attempt<Reply>(
      () => selectOperation(route, request.method)({ request, query, parameter }),
      (thrown) => toAnswer(thrown, request, onError),
    );
    return route.headers.length === 0 ? reply : chain(reply, (reply) => extend(reply, route.headers));
  }

  return { handle };
}

function createRoutes(settings: Settings): PetstoreRoute[] {
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
      methods: methods({
        GET: (call) => listPets(settings, call),
        POST: (call) => createPet(settings, readBody, call),
      }),
      headers: [],
    },
    { path: "/pets/{petId}", methods: methods({ GET: (call) => getPet(settings, call) }), headers: deprecation },
    { path: "/store/orders", methods: methods({ GET: ({ request }) => storeOrders(request) }), headers: [] },
  ];
}

/** A map, so that a method called `constructor` is as unknown as any other. */
function methods(operations: Record<string, Operation>): ReadonlyMap<string, Operation> {
  return new Map(Object.entries(operations));
}

function notImplemented(): never {
  throw new HttpError(501, "not_implemented", "This petstore has no store orders");
}

function selectOperation({ methods }: PetstoreRoute, method: string): Operation {
  const operation = methods.get(method === "HEAD" ? "GET" : method);
  if (operation) return operation;
  const allowed = [...methods.keys()].flatMap((name) => name === "GET" ? ["GET", "HEAD"] : [name]).concat("OPTIONS");
  const allow: Header = ["allow", allowed.join(", ")];
  if (method === "OPTIONS") return () => ({ status: 204, headers: [allow], body: null });
  throw new HttpError(405, "method_not_allowed", `Method ${excerpt(method)} is not allowed here`, [allow]);
}

/** The answer to whatever was thrown. Only what the library itself meant for the client is shown to the client. */
function toAnswer(thrown: unknown, request: Request, onError: Settings["onError"]): Answer {
  if (thrown instanceof HttpError) return thrown.toAnswer();
  try {
    onError(thrown, request);
  } catch {
    // A broken log must not turn an answer into none.
  }
  if (thrown instanceof StoreUnavailableError) {
    return new HttpError(503, "store_unavailable", "The store is unavailable at present; try again later", [
      ["retry-after", String(RETRY_AFTER)],
    ]).toAnswer();
  }
  return new HttpError(500, "internal_error", "An internal error occurred").toAnswer();
}

function extend(reply: Reply, headers: Header[]): Reply {
  if (reply instanceof Response) return extendResponse(reply, "", headers);
  reply.headers.push(...headers);
  return reply;
}

function finish(reply: Reply, method: string, headers: Header[]): Response {
  if (!(reply instanceof Response)) return toResponse(reply, method, headers);
  return headers.length === 0 && method !== "HEAD" ? reply : extendResponse(reply, method, headers);
}
