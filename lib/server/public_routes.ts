/** The routes that need no key: the description and its page, and the probes for liveness and readiness. */

import { ALLOW_ORIGIN } from "../http/cors.ts";
import { representation } from "../http/conditional.ts";
import type { OperationRoute } from "../http/dispatch.ts";
import { createDocsRoutes } from "./viewer/routes.ts";
import type { OpenApiOptions } from "../openapi/openapi.ts";
import { describeServer } from "./description.ts";
import { OK } from "./gate.ts";
import { chain } from "../pending.ts";
import type { PetStore } from "../stores/store.ts";

/** Makes the routes, those of the page only if it is wanted; `options` are those of the petstore that is served. */
export function createPublicRoutes(store: PetStore, options: OpenApiOptions, hasDocs: boolean): OperationRoute[] {
  const description = representation(JSON.stringify(describeServer(options)), "always");
  return [
    {
      path: "/openapi.json",
      methods: { GET: () => description },
      // Tools that run in a page read the description from wherever they are; it holds no secret.
      headers: { [ALLOW_ORIGIN]: "*" },
    },
    { path: "/livez", methods: { GET: () => OK } },
    { path: "/readyz", methods: { GET: () => chain(store.check(), () => OK) } },
    ...(hasDocs ? createDocsRoutes() : []),
  ];
}
