/** One handler for all that the standalone server serves: the public routes, the petstore, the access log around both. */

import { createDispatcher, finish, type Reply } from "../http/dispatch.ts";
import { splitUrl } from "../http/routing.ts";
import type { PetstoreOptions } from "../options.ts";
import { chain } from "../pending.ts";
import { createFailureHandler, createPetstore } from "../petstore.ts";
import type { AccessLog } from "./access_log.ts";
import type { InFlight } from "./in_flight.ts";
import { createPublicRoutes } from "./public_routes.ts";

/** Options of the petstore within, of which the public routes need some too. */
export type HandlerOptions = PetstoreOptions & Required<Pick<PetstoreOptions, "store" | "onError">>;

/** Makes the handler for `Deno.serve`. */
export function createHandler(
  options: HandlerOptions,
  inFlight: InFlight,
  log: AccessLog | undefined,
): Deno.ServeHandler<Deno.NetAddr> {
  const { handle } = createPetstore(options);
  const routes = createPublicRoutes(options.store, options);
  const publicPaths = new Set(routes.map(({ path }) => path));
  const dispatch = createDispatcher("", routes, createFailureHandler(options.onError));

  function respond(request: Request): Response | Promise<Response> {
    if (!publicPaths.has(splitUrl(request.url).path)) return handle(request);
    return chain<Reply, Response>(dispatch(request), (reply) => finish(reply, request.method));
  }

  return (request, { remoteAddr }) => {
    const startedAt = performance.now();
    const end = inFlight.begin();
    return chain(respond(request), (response) => {
      end();
      if (log) {
        const { path, query } = splitUrl(request.url);
        const target = query === "" ? path : `${path}?${query}`;
        log.add(remoteAddr.hostname, request.method, target, response.status, startedAt);
      }
      return response;
    });
  };
}
