/**
 * Describes a petstore with OpenAPI.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createPetstore } from "@petstore/petstore";
 * import { createOpenApi } from "@petstore/petstore/openapi";
 *
 * const petstore = createPetstore({ keys: ["pk_example"] });
 * const description = createOpenApi(petstore, { servers: [{ url: "https://pets.example/v1" }] });
 * assert.equal(description["openapi"], "3.1.0");
 * ```
 *
 * @module
 */

import { ERROR_STATUS } from "../error_codes.ts";
import type { Json, JsonObject } from "../json_types.ts";
import { type FailureGroup, rateLimitFailures } from "../operations/failures.ts";
import type { HeaderKey } from "../operations/headers.ts";
import { createSchemas, errorSchema } from "../operations/schemas.ts";
import { DESCRIBED_OPERATIONS } from "../operations/table.ts";
import { type Petstore, settingsOf } from "../petstore/petstore.ts";
import type { Settings } from "../petstore/settings.ts";
import { withoutPrototype } from "../without_prototype.ts";
import { referTo, renderHeaders } from "./headers.ts";
import { type RenderedOperation, renderOperation } from "./operations.ts";
import { bodyOf, failureSchema, renderFailure, statusOf } from "./responses.ts";

export type { Json, JsonObject, Petstore };

/** An address of the API (Server Object of OpenAPI). */
export interface OpenApiServer {
  /** The base URL of all paths: absolute, such as `https://pets.example/v1`, or relative to the URL of the description. */
  url: string;
  /** A name for the server, such as `Production`. */
  description?: string;
}

/** Options of {@link createOpenApi}. */
export interface OpenApiOptions {
  /** The addresses of the API. Default: `publicBaseUrl`, or else `basePath` on the host that serves the description. */
  servers?: readonly OpenApiServer[];
}

const DESCRIPTION = `A catalogue of animals: list them, add one, get one.

Send your API key with every request, as \`Authorization: Bearer <API_KEY>\`. Bodies are JSON. A list comes in pages: its
\`Link\` header leads to the next one. Every failure has the same body: a \`code\` for programs, a \`message\` for people,
and the \`status\`.

Some responses belong to no operation. A path that does not exist gets ${ERROR_STATUS.route_not_found} \`route_not_found\`.
A method that a path does not have gets ${ERROR_STATUS.method_not_allowed} \`method_not_allowed\`, with the methods that it
has in \`Allow\`. HEAD is answered like GET, without the body. OPTIONS is answered with 204 and \`Allow\`.`;

const CROSS_ORIGIN = `

Preflights of allowed origins are answered with 204 and need no key. Responses also carry \`Vary: Origin\` and the
\`Access-Control-*\` headers of the Fetch standard.`;

/**
 * Creates the OpenAPI 3.1 description of a petstore, as plain data for `JSON.stringify()`.
 *
 * @param petstore What {@link createPetstore} has returned.
 * @throws {TypeError} If it is another object, or an option is unknown or invalid.
 */
export function createOpenApi(petstore: Petstore, options: OpenApiOptions = {}): JsonObject {
  const settings = settingsOf(petstore);
  if (!settings) throw new TypeError("createOpenApi() takes what createPetstore() has returned");
  const { servers, ...unknown } = withoutPrototype(options);
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new TypeError(`Unknown option ${name}; the only option is servers`);
  return describe(settings, { servers });
}

/** What describes more than the petstore of {@link createOpenApi}. */
export interface DescribeOptions {
  servers?: readonly OpenApiServer[] | undefined;
  /** Further failures that every operation can have. */
  added?: readonly FailureGroup[];
  /** The operations. */
  operations?: typeof DESCRIBED_OPERATIONS;
}

/** What clients can notice of the options of a petstore. */
type Contract = Omit<Settings, "keys" | "onError" | "onResponse">;

/** Describes a petstore with these options. */
export function describe(contract: Contract, options: DescribeOptions = {}): JsonObject {
  const { servers, added = [], operations: described = DESCRIBED_OPERATIONS } = options;
  const everywhere = contract.rateLimit ? [...added, ...rateLimitFailures(contract.rateLimit)] : added;
  const operations = described.map(([definition, words]) => renderOperation(definition, words, contract, everywhere));
  const groups = operations.flatMap(({ failures }) => failures);
  return {
    openapi: "3.1.0",
    info: {
      title: "Petstore",
      version: "1.0.0",
      description: contract.cors ? DESCRIPTION + CROSS_ORIGIN : DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: checkServers(servers ?? [{ url: contract.linkBase || "/" }]),
    security: [{ bearer: [] }],
    tags: [
      { name: "animals", description: "The catalogue of animals." },
      { name: "store", description: "Orders of the store." },
    ],
    "x-tagGroups": [{ name: "Pets", tags: ["animals"] }, { name: "Store", tags: ["store"] }],
    paths: createPaths(operations, contract),
    components: {
      schemas: {
        ...createSchemas(contract.defaultStatus),
        Error: errorSchema(
          [
            ...new Set([
              ...Object.keys(ERROR_STATUS),
              ...added.flatMap(({ errors }) => errors.map((error) => bodyOf(error).code)),
            ]),
          ],
          { minimum: 400, maximum: 599 },
          "The body of every response with a status of 400 or more. Each response has a narrower schema of its own.",
        ),
        ...createNamed(groups, "schema", failureSchema),
      },
      responses: createNamed(
        groups,
        "response",
        (group) => complete(statusOf(group), renderFailure(group, {}), contract),
      ),
      headers: renderHeaders(unusedHeaders(contract)),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer <API_KEY>`." },
      },
    },
  };
}

function unusedHeaders({ store, requestIds, rateLimit }: Contract): HeaderKey[] {
  return [
    ...(store.createOnce ? [] : ["IdempotencyReplayed" as const]),
    ...(requestIds === "none" ? ["RequestId" as const] : []),
    ...(rateLimit ? [] : ["RateLimit" as const, "RateLimitPolicy" as const]),
  ];
}

/** Adds the headers that any response can have. */
function complete(status: number, response: JsonObject, { requestIds, rateLimit }: Contract): JsonObject {
  const hasId = requestIds === "all" || (requestIds === "failures" && status >= 400);
  const keys: HeaderKey[] = [
    ...(rateLimit ? ["RateLimit", "RateLimitPolicy"] as const : []),
    ...(hasId ? ["RequestId"] as const : []),
  ];
  if (keys.length === 0 || "$ref" in response) return response;
  return { ...response, headers: { ...response["headers"] as JsonObject, ...referTo(keys) } };
}

function createPaths(operations: readonly RenderedOperation[], contract: Contract): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const { path, method, definition } of operations) {
    const responses = Object.entries(definition["responses"] as JsonObject)
      .map(([status, response]) => [status, complete(Number(status), response as JsonObject, contract)]);
    paths[path] = { ...paths[path], [method]: { ...definition, responses: Object.fromEntries(responses) } };
  }
  return paths;
}

/** Creates the named components of the groups. A group without the name has no such component. */
function createNamed(
  groups: readonly FailureGroup[],
  name: "schema" | "response",
  create: (group: FailureGroup) => JsonObject,
): JsonObject {
  return Object.fromEntries(
    groups.filter((group) => group[name] !== undefined).map((group) => [group[name], create(group)]),
  );
}

function checkServers(servers: readonly OpenApiServer[]): JsonObject[] {
  const isList = Array.isArray(servers) && servers.every((server) => typeof server?.url === "string");
  if (!isList) throw new TypeError('Option servers must be a list such as [{ url: "https://pets.example/v1" }]');
  return servers.map((server) => ({ ...server }));
}
