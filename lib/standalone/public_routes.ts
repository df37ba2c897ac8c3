/** What the standalone server answers without a key: the description, whether it lives, and whether it is ready. */

import { JSON_TYPE } from "../http/answer.ts";
import { representation } from "../http/conditional.ts";
import type { OperationRoute } from "../http/dispatch.ts";
import { HttpError } from "../http/errors.ts";
import { createOpenApi, type JsonObject, type OpenApiOptions } from "../openapi.ts";
import { bodiless, failure, plainSuccess, success } from "../openapi/responses.ts";
import { CLOSED } from "./gate.ts";
import { chain } from "../pending.ts";
import type { PetStore } from "../stores/store.ts";

/** The answer to a request whose Host header could be no host. */
export const INVALID_HOST = new HttpError(400, "invalid_host", "The Host header must be a host and nothing else");

const OK = { status: 200, headers: [JSON_TYPE], body: '{"status":"ok"}' };

/** Makes the routes; `options` are those of the petstore that is served. */
export function createPublicRoutes(store: PetStore, options: OpenApiOptions): OperationRoute[] {
  const description = representation(JSON.stringify(describeServer(options)), "always");
  return [
    {
      path: "/openapi.json",
      methods: { GET: () => description },
      // Tools that run in a page read the description from wherever they are; it holds no secret.
      headers: [["access-control-allow-origin", "*"]],
    },
    { path: "/livez", methods: { GET: () => OK } },
    { path: "/readyz", methods: { GET: () => chain(store.check(), () => OK) } },
  ];
}

/** The description of all that the standalone server serves: the petstore, and what is not below its base path. */
export function describeServer(options: OpenApiOptions): JsonObject {
  const openApi = createOpenApi(options);
  const components = openApi["components"] as JsonObject;
  return {
    ...openApi,
    tags: [...openApi["tags"] as JsonObject[], { name: "operation", description: "For whoever runs the server." }],
    paths: {
      ...openApi["paths"] as JsonObject,
      "/livez": describePublic("isAlive", "Whether the server runs", { 200: YES }),
      "/readyz": describePublic("isReady", "Whether the server can reach its store", {
        200: YES,
        503: { $ref: "#/components/responses/StoreUnavailable" },
      }),
      "/openapi.json": describePublic("describe", "This description", {
        200: success("This description.", "OpenApi", { openapi: "3.1.0" }, { ETag: "ETag" }),
        304: bodiless("The description is as it was.", { ETag: "ETag" }),
      }),
    },
    components: {
      ...components,
      schemas: { ...components["schemas"] as JsonObject, OpenApi: { type: "object", required: ["openapi"] } },
      responses: { ...components["responses"] as JsonObject, ...ANYWHERE },
    },
  };
}

const YES = plainSuccess("Yes.", { status: "ok" });

/** What any path may answer, whatever it is. */
const ANYWHERE: JsonObject = {
  InvalidHost: failure(400, "The Host header is none; on any path.", { [INVALID_HOST.code]: INVALID_HOST.message }),
  ServerUnavailable: failure(
    503,
    "The server is starting or stopping; on any path.",
    { [CLOSED.code]: CLOSED.message },
    {
      "Retry-After": "RetryAfter",
    },
  ),
};

function describePublic(operationId: string, summary: string, responses: JsonObject): JsonObject {
  return { servers: [{ url: "/" }], get: { operationId, tags: ["operation"], summary, security: [], responses } };
}
