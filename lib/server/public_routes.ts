/** The routes that need no key: the OpenAPI description and its web page, and the probes for liveness and readiness. */

import { ALLOW_ORIGIN } from "../http/cors.ts";
import { representation } from "../http/conditional.ts";
import type { OperationRoute } from "../http/dispatch.ts";
import { createDocsRoutes } from "./viewer/routes.ts";
import type { OpenApiOptions } from "../openapi/openapi.ts";
import { describeServer } from "./description.ts";
import { OK } from "./gate.ts";
import { chain } from "../pending.ts";
import { INCOMPLETE } from "./refusals.ts";
import type { PetStore } from "../stores/store.ts";

/** What the public routes need beside the store. */
export interface PublicParts {
  /** Whether to serve the description as a web page. */
  hasDocs: boolean;
  /** Whether the isolates beside this one serve too. */
  isComplete: () => boolean;
}

/** @param options The options of the petstore. */
export function createPublicRoutes(
  store: PetStore,
  options: OpenApiOptions,
  { hasDocs, isComplete }: PublicParts,
): OperationRoute[] {
  const description = representation(JSON.stringify(describeServer(options)), "always");
  return [
    {
      path: "/openapi.json",
      methods: { GET: () => description },
      // Web pages of any origin may read the description, because it contains no secrets.
      headers: { [ALLOW_ORIGIN]: "*" },
    },
    { path: "/livez", methods: { GET: () => OK } },
    { path: "/readyz", methods: { GET: () => chain(store.check(), () => isComplete() ? OK : INCOMPLETE.toAnswer()) } },
    ...(hasDocs ? createDocsRoutes() : []),
  ];
}
