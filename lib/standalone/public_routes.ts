/** What the standalone server answers without a key: the description, whether it lives, and whether it is ready. */

import { JSON_TYPE } from "../http/answer.ts";
import { conditionalAnswer } from "../http/conditional.ts";
import type { OperationRoute } from "../http/dispatch.ts";
import { createOpenApi, type JsonObject, type OpenApiOptions } from "../openapi.ts";
import { plainSuccess } from "../openapi/responses.ts";
import { chain } from "../pending.ts";
import type { PetStore } from "../stores/store.ts";

const OK = { status: 200, headers: [JSON_TYPE], body: '{"status":"ok"}' };

/** Makes the routes; `options` are those of the petstore that is served. */
export function createPublicRoutes(store: PetStore, options: OpenApiOptions): OperationRoute[] {
  const description = JSON.stringify(describe(createOpenApi(options)));
  return [
    {
      path: "/openapi.json",
      methods: { GET: ({ request }) => conditionalAnswer(request, description) },
      // Tools that run in a page read the description from wherever they are; it holds no secret.
      headers: [["access-control-allow-origin", "*"]],
    },
    { path: "/livez", methods: { GET: () => OK } },
    { path: "/readyz", methods: { GET: () => chain(store.check(), () => OK) } },
  ];
}

/** The description with these routes added, which are not below the base path and need no key. */
function describe(openApi: JsonObject): JsonObject {
  const probe = (operationId: string, summary: string, failures: JsonObject): JsonObject => ({
    servers: [{ url: "/" }],
    get: {
      operationId,
      tags: ["operation"],
      summary,
      security: [],
      responses: { 200: plainSuccess("Yes.", { status: "ok" }), ...failures },
    },
  });
  return {
    ...openApi,
    tags: [...openApi["tags"] as JsonObject[], { name: "operation", description: "For whoever runs the server." }],
    paths: {
      ...openApi["paths"] as JsonObject,
      "/livez": probe("isAlive", "Whether the server runs", {}),
      "/readyz": probe("isReady", "Whether the server can reach its store", {
        503: { $ref: "#/components/responses/StoreUnavailable" },
      }),
    },
  };
}
