/** Renders the description of a petstore. */

import { ERROR_STATUS } from "../error_codes.ts";
import type { JsonObject } from "../json_types.ts";
import { CROSS_ORIGIN, DESCRIPTION, INFO, SECURITY, TAGS } from "../operations/api.ts";
import { type FailureGroup, rateLimitFailures } from "../operations/failure_groups.ts";
import type { HeaderKey } from "../operations/headers.ts";
import { createSchemas, errorSchema } from "../operations/schemas.ts";
import { DESCRIBED_OPERATIONS } from "../operations/table.ts";
import type { Settings } from "../petstore/settings.ts";
import { withoutPrototype } from "../without_prototype.ts";
import { referTo, renderHeaders } from "./headers.ts";
import { type RenderedOperation, renderOperation } from "./operations.ts";
import { bodyOf, failureSchema, renderFailure, statusOf } from "./responses.ts";

/** An address of the API (Server Object of OpenAPI). */
export interface OpenApiServer {
  /** The base URL of all paths: absolute, such as `https://pets.example/v1`, or relative to the URL of the description. */
  url: string;
  /** A name for the server, such as `Production`. */
  description?: string;
}

/** The options that clients can notice. */
type Contract = Omit<Settings, "keys" | "onError" | "onResponse">;

/**
 * Describes a petstore with these options.
 *
 * @param added Further failures that every operation can have.
 */
export function describe(
  contract: Contract,
  servers: readonly OpenApiServer[] = [{ url: contract.linkBase || "/" }],
  added: readonly FailureGroup[] = [],
): JsonObject {
  const everywhere = contract.rateLimit ? [...added, ...rateLimitFailures(contract.rateLimit)] : added;
  const operations = DESCRIBED_OPERATIONS.map(([definition, describe]) =>
    renderOperation(definition, describe, contract, everywhere)
  );
  const groups = operations.flatMap(({ failures }) => failures);
  const paths = createPaths(operations, contract);
  const responses = createNamed(
    groups,
    "response",
    (group) => complete(statusOf(group), renderFailure(group, {}), contract),
  );
  return {
    openapi: "3.1.0",
    info: { ...INFO, description: contract.cors ? DESCRIPTION + CROSS_ORIGIN : DESCRIPTION },
    servers: checkServers(servers),
    security: [{ bearer: [] }],
    ...TAGS,
    paths,
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
      responses,
      headers: renderHeaders({ paths, responses }),
      securitySchemes: SECURITY,
    },
  };
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
  for (const { path, method, operationObject } of operations) {
    const responses = Object.entries(operationObject["responses"] as JsonObject)
      .map(([status, response]) => [status, complete(Number(status), response as JsonObject, contract)]);
    paths[path] = { ...paths[path], [method]: { ...operationObject, responses: Object.fromEntries(responses) } };
  }
  return paths;
}

/**
 * Creates the named components of the groups. A group without the name has no such component.
 *
 * @throws {TypeError} If groups with the same name differ: one would take the place of the other.
 */
function createNamed(
  groups: readonly FailureGroup[],
  kind: "schema" | "response",
  create: (group: FailureGroup) => JsonObject,
): JsonObject {
  const named: JsonObject = {};
  for (const group of groups) {
    const name = withoutPrototype(group)[kind];
    if (name === undefined) continue;
    const component = create(group);
    if (JSON.stringify(named[name] ?? component) !== JSON.stringify(component)) {
      throw new TypeError(`Two operations have different failures with the ${kind} ${name}; give one another name`);
    }
    named[name] = component;
  }
  return named;
}

function checkServers(servers: readonly OpenApiServer[]): JsonObject[] {
  const isList = Array.isArray(servers) && servers.every((server) => typeof server?.url === "string");
  if (!isList) throw new TypeError('Option servers must be a list such as [{ url: "https://pets.example/v1" }]');
  return servers.map((server) => ({ ...server }));
}
