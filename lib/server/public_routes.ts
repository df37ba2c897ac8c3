/** The routes that need no key: the OpenAPI description and its web page, and the probes for liveness and readiness. */

import { ALLOW_ORIGIN } from "../http/cors.ts";
import { representation } from "../http/conditional.ts";
import type { OperationRoute } from "../http/dispatch.ts";
import { createDocsRoutes } from "./viewer/routes.ts";
import type { OpenApiOptions } from "../openapi/openapi.ts";
import { describeServer } from "./description.ts";
import { OK } from "./gate.ts";
import { chain } from "../pending.ts";
import type { PetStore } from "../stores/store.ts";

/** @param options The options of the petstore. */
export function createPublicRoutes(store: PetStore, options: OpenApiOptions, hasDocs: boolean): OperationRoute[] {
  const description = representation(JSON.stringify(describeServer(options)), "always");
  return [
    {
      path: "/openapi.json",
      methods: { GET: () => description },
      // Web pages of any origin may read the description, because it contains no secrets.
      headers: { [ALLOW_ORIGIN]: "*" },
    },
    { path: "/livez", methods: { GET: () => OK } },
    { path: "/readyz", methods: { GET: () => chain(store.check(), () => OK) } },
    ...(hasDocs ? createDocsRoutes() : []),
  ];
}
