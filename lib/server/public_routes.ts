/** The routes that need no key: the description and its page, and the probes for liveness and readiness. */

import { representation } from "../http/conditional.ts";
import type { OperationRoute } from "../http/dispatch.ts";
import { createDocsRoutes } from "./viewer/routes.ts";
import { createOpenApi, type Json, type JsonObject, type OpenApiOptions } from "../openapi/openapi.ts";
import { bodiless, failure, plainSuccess, success } from "../openapi/responses.ts";
import { OK } from "./gate.ts";
import { CLOSED, INVALID_HOST } from "./refusals.ts";
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
      headers: { "access-control-allow-origin": "*" },
    },
    { path: "/livez", methods: { GET: () => OK } },
    { path: "/readyz", methods: { GET: () => chain(store.check(), () => OK) } },
    ...(hasDocs ? createDocsRoutes() : []),
  ];
}

/** The description of all that the standalone server serves: the petstore, and what is not below its base path. */
export function describeServer(options: OpenApiOptions): JsonObject {
  const openApi = createOpenApi(options);
  const components = openApi["components"] as JsonObject;
  const paths: JsonObject = {
    ...openApi["paths"] as JsonObject,
    "/livez": describePublic("isAlive", "Whether the server runs", "Does not ask the store, nor anything else.", {
      200: YES,
    }),
    "/readyz": describePublic("isReady", "Whether the server can read its store", "Asks the store each time.", {
      200: YES,
    }),
    "/openapi.json": describePublic("describe", "This description", "Web pages of any origin may read it.", {
      200: success("This description.", "OpenApi", { openapi: "3.1.0" }, { ETag: "ETag" }),
      304: bodiless("The description is as it was.", { ETag: "ETag" }),
    }),
  };
  return {
    ...openApi,
    "x-tagGroups": [...openApi["x-tagGroups"] as JsonObject[], { name: "Operation", tags: ["operation"] }],
    tags: [...openApi["tags"] as JsonObject[], { name: "operation", description: "For whoever runs the server." }],
    paths: mapValues(paths, (path) => mapValues(path as JsonObject, addAnywhere)),
    components: {
      ...components,
      schemas: { ...components["schemas"] as JsonObject, OpenApi: OPEN_API },
      responses: { ...components["responses"] as JsonObject, ...ANYWHERE },
    },
  };
}

const OPEN_API: JsonObject = {
  type: "object",
  required: ["openapi"],
  properties: { openapi: { type: "string", description: "Version of OpenAPI that this is written in." } },
  description: "A description in OpenAPI.",
};

const YES = plainSuccess("Yes.", { status: "ok" });

/** What any operation may answer before its path is looked at: the Host header is none, the server starts or stops. */
const ANYWHERE: JsonObject = {
  InvalidHost: failure(400, "The Host header is none.", { [INVALID_HOST.code]: INVALID_HOST.message }),
  ServerUnavailable: failure(503, "The store is unavailable, or the server starts or stops.", {
    [CLOSED.code]: CLOSED.message,
  }, { "Retry-After": "RetryAfter" }),
};

/** An operation with these answers too; what is no operation, as it is. */
function addAnywhere(value: Json): Json {
  const operation = value as JsonObject;
  const responses = operation["responses"] as JsonObject | undefined;
  if (!responses) return value;
  const { 400: invalid, 503: unavailable } = responses;
  return {
    ...operation,
    responses: {
      ...responses,
      400: invalid
        ? addAlternative(invalid as JsonObject, ANYWHERE["InvalidHost"] as JsonObject)
        : reference("InvalidHost"),
      503: unavailable ?? reference("ServerUnavailable"),
    },
  };
}

/** A response whose body is its own or the other's. */
function addAlternative(response: JsonObject, other: JsonObject): JsonObject {
  const [own, added] = [response, other].map((each) =>
    (each["content"] as JsonObject)["application/json"] as JsonObject
  );
  return {
    ...response,
    content: {
      "application/json": {
        schema: { oneOf: [own?.["schema"] ?? {}, added?.["schema"] ?? {}] },
        examples: { ...own?.["examples"] as JsonObject, ...added?.["examples"] as JsonObject },
      },
    },
  };
}

function reference(response: string): JsonObject {
  return { $ref: `#/components/responses/${response}` };
}

function mapValues(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function describePublic(operationId: string, summary: string, description: string, responses: JsonObject): JsonObject {
  const operation = { operationId, tags: ["operation"], summary, description, security: [], responses };
  return { servers: [{ url: "/" }], get: operation };
}
