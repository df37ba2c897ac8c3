/** One handler for all that the standalone server serves: the public routes, the petstore, the access log around both. */

import type { Answer } from "../http/answer.ts";
import { createCors } from "../http/cors.ts";
import { createDispatcher, finish, type Reply } from "../http/dispatch.ts";
import { splitUrl } from "../http/routing.ts";
import type { PetstoreOptions } from "../service/options.ts";
import { attempt, chain } from "../pending.ts";
import { createFailureHandler, createPetstore } from "../service/petstore.ts";
import type { AccessLog } from "./log/access_log.ts";
import type { Service } from "./gate.ts";
import { createPublicRoutes } from "./public_routes.ts";
import { INVALID_HOST } from "./refusals.ts";

/** Options of the petstore within, of which the public routes need some too. */
export type HandlerOptions = PetstoreOptions & Required<Pick<PetstoreOptions, "store" | "onError">>;

/** What is served beside the petstore. */
export interface Surroundings {
  /** None if requests are not to be noted. */
  log: AccessLog | undefined;
  /** Whether the description is shown as a page too. */
  hasDocs: boolean;
}

/** Makes the service for a gate. */
export function createHandler(options: HandlerOptions, { log, hasDocs }: Surroundings): Service {
  const { handle } = createPetstore(options);
  const cors = options.cors && createCors(options.cors);
  const routes = createPublicRoutes(options.store, options, hasDocs);
  const publicPaths = new Set(routes.map(({ path }) => path));
  const onFailure = createFailureHandler(options.onError);
  const dispatch = createDispatcher("", routes, onFailure);

  /** Sends what comes before any path is looked at. */
  function seal(answer: Answer, request: Request): Response {
    return finish(cors ? cors.extend(answer, request) : answer, request);
  }

  function respond(request: Request): Response | Promise<Response> {
    if (!isHost(request.headers.get("host"))) return seal(INVALID_HOST.toAnswer(), request);
    if (!publicPaths.has(splitUrl(request.url).path)) return handle(request);
    const reply = attempt<Reply>(() => dispatch(request), (thrown) => onFailure(thrown, request));
    return chain<Reply, Response>(reply, (reply) => finish(reply, request));
  }

  if (!log) return { handle: respond, send: seal };

  function note(response: Response, request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>, startedAt: number) {
    log?.(info.remoteAddr.hostname, request.method, request.url, response.status, startedAt);
    return response;
  }

  return {
    handle(request, info) {
      const startedAt = performance.now();
      return chain(respond(request), (response) => note(response, request, info, startedAt));
    },
    send: (answer, request, info) => note(seal(answer, request), request, info, performance.now()),
  };
}

/**
 * Whether a Host header could be a host. `Deno.serve` makes the URL out of it as it is, and with a slash or a question
 * mark in it the client would choose another path than the one that a gateway in front has seen (RFC 9112 §3.2).
 */
function isHost(host: string | null): boolean {
  if (host === null) return true;
  for (let i = 0; i < host.length; i++) {
    const unit = host.charCodeAt(i);
    // Anything but visible ASCII, and '#', '/', '?', '@', '\'.
    if (unit <= 0x20 || unit >= 0x7f || unit === 0x23 || unit === 0x2f || unit === 0x3f || unit === 0x40) return false;
    if (unit === 0x5c) return false;
  }
  return true;
}
