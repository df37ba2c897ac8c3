import { ERROR_STATUS } from "../error_codes.ts";
import {
  checkContract,
  type ContractSettings,
  NAMES,
  type PetstoreOptions,
  requireNames,
} from "../petstore/options.ts";
import { createRateLimited } from "./failures.ts";
import { createHeaders, type HeaderKey, referTo } from "./headers.ts";
import type { JsonObject } from "./json_types.ts";
import { createOperations, type Operation } from "./paths.ts";
import { failure, type FailureGroup, failureSchema, statusOf } from "./responses.ts";
import { createSchemas } from "./schemas.ts";

/** An address of the API (Server Object of OpenAPI). */
export interface OpenApiServer {
  /** The base URL of all paths: absolute, such as `https://pets.example/v1`, or relative to the URL of the description. */
  url: string;
  /** A name for the server, such as `Production`. */
  description?: string;
}

/** Options of {@link createOpenApi}: the options of the petstore that it describes, and its addresses. */
export interface OpenApiOptions extends Partial<PetstoreOptions> {
  /** The addresses of the API. Default: `publicBaseUrl`, or else `basePath` on the host that serves the description. */
  servers?: readonly OpenApiServer[];
}

const DESCRIPTION = `A catalogue of animals: list them, add one, get one.

Send your API key with every request, as \`Authorization: Bearer <API_KEY>\`. Bodies are JSON. A list comes in pages: its
\`Link\` header leads to the next one. Every failure has the same body: a \`code\` for programs, a \`message\` for people,
and the \`status\`.

Some replies belong to no operation. A path that does not exist gets ${ERROR_STATUS.route_not_found} \`route_not_found\`.
A method that a path does not have gets ${ERROR_STATUS.method_not_allowed} \`method_not_allowed\`, with the methods that it
has in \`Allow\`. HEAD is answered like GET, without the body. OPTIONS is answered with 204 and \`Allow\`.`;

const CROSS_ORIGIN = `

Preflights of allowed origins are answered with 204 and need no key. Responses also carry \`Vary: Origin\` and the
\`Access-Control-*\` headers of the Fetch standard.`;

/**
 * Creates the OpenAPI 3.1 description of a petstore with these options, as plain data for `JSON.stringify()`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createOpenApi } from "@petstore/petstore";
 *
 * const description = createOpenApi({ servers: [{ url: "https://pets.example/v1" }] });
 * assert.equal(description["openapi"], "3.1.0");
 * ```
 *
 * @throws {TypeError} If an option is unknown or invalid.
 */
export function createOpenApi(options: OpenApiOptions = {}): JsonObject {
  return createDescription(options, []);
}

/** Like {@link createOpenApi}, with further failures that every operation can have. */
export function createDescription(options: OpenApiOptions, added: readonly FailureGroup[]): JsonObject {
  requireNames(options, [...NAMES, "servers"]);
  const settings = checkContract(options);
  const remembersRequests = options.store === undefined || options.store.createOnce !== undefined;
  const hasStoreOrders = options.handleStoreOrders !== undefined;
  const everywhere = settings.rateLimit ? [...added, createRateLimited(settings.rateLimit)] : added;
  const operations = createOperations({ ...settings, hasStoreOrders, remembersRequests })
    .map((operation) => ({ ...operation, failures: addFailures(operation.failures, everywhere) }));
  const groups = operations.flatMap(({ failures }) => failures);
  return {
    openapi: "3.1.0",
    info: {
      title: "Petstore",
      version: "1.0.0",
      description: options.cors === undefined ? DESCRIPTION : DESCRIPTION + CROSS_ORIGIN,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: checkServers(options.servers ?? [{ url: settings.linkBase || "/" }]),
    security: [{ bearer: [] }],
    tags: [
      { name: "animals", description: "The catalogue of animals." },
      { name: "store", description: "Orders of the store." },
    ],
    "x-tagGroups": [{ name: "Pets", tags: ["animals"] }, { name: "Store", tags: ["store"] }],
    paths: createPaths(operations, settings),
    components: {
      schemas: { ...createSchemas(settings.defaultStatus), ...createNamed(groups, "schema", failureSchema) },
      responses: createNamed(
        groups,
        "response",
        (group) => complete(statusOf(group), failure(group), settings),
      ),
      headers: createHeaders(unusedHeaders(remembersRequests, settings)),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer <API_KEY>`." },
      },
    },
  };
}

/** Adds the failures that every operation can have. Groups with the same status are merged. */
function addFailures(own: readonly FailureGroup[], added: readonly FailureGroup[]): FailureGroup[] {
  const merged = own.map((group) => {
    const same = added.filter((other) => statusOf(other) === statusOf(group));
    const reason = [group, ...same].map(({ reason }) => reason).join(", or ");
    return { ...group, reason, errors: [...group.errors, ...same.flatMap(({ errors }) => errors)] };
  });
  return [...merged, ...added.filter((group) => !own.some((other) => statusOf(other) === statusOf(group)))];
}

function unusedHeaders(remembersRequests: boolean, { requestIds, rateLimit }: ContractSettings): HeaderKey[] {
  return [
    ...(remembersRequests ? [] : ["IdempotencyReplayed" as const]),
    ...(requestIds === "none" ? ["RequestId" as const] : []),
    ...(rateLimit ? [] : ["RateLimit" as const, "RateLimitPolicy" as const]),
  ];
}

/** Adds the headers that any response can have. */
function complete(status: number, response: JsonObject, { requestIds, rateLimit }: ContractSettings): JsonObject {
  const hasId = requestIds === "all" || (requestIds === "failures" && status >= 400);
  const keys: HeaderKey[] = [
    ...(rateLimit ? ["RateLimit", "RateLimitPolicy"] as const : []),
    ...(hasId ? ["RequestId"] as const : []),
  ];
  if (keys.length === 0) return response;
  return { ...response, headers: { ...response["headers"] as JsonObject, ...referTo(keys) } };
}

function createPaths(operations: readonly Operation[], settings: ContractSettings): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const { path, method, definition, failures } of operations) {
    const responses = Object.fromEntries(
      Object.entries(definition["responses"] as JsonObject)
        .map(([status, response]) => [status, complete(Number(status), response as JsonObject, settings)]),
    );
    for (const group of failures) {
      responses[statusOf(group)] = group.response === undefined
        ? complete(statusOf(group), failure(group), settings)
        : { $ref: `#/components/responses/${group.response}` };
    }
    paths[path] = { ...paths[path], [method]: { ...definition, responses } };
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
