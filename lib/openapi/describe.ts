/** Renders the description of a petstore. */

import { ERROR_STATUS } from "../error_codes.ts";
import type { JsonObject } from "../json_types.ts";
import { CROSS_ORIGIN, DESCRIPTION, INFO, SECURITY, TAGS } from "../operations/api.ts";
import { type FailureGroup, rateLimitFailures } from "../operations/failure_groups.ts";
import { createSchemas, errorSchema } from "../operations/schemas.ts";
import { DESCRIBED_OPERATIONS } from "../operations/table.ts";
import type { CheckedOptions } from "../petstore/checked_options.ts";
import { referTo, renderHeaders } from "./headers.ts";
import { renderOperation } from "./operations.ts";
import { codesOf, failureSchema, renderFailure, statusOf } from "./responses.ts";

/** An address of the API (Server Object of OpenAPI). */
export interface OpenApiServer {
  /** The base URL of all paths: absolute, such as `https://pets.example/v1`, or relative to the URL of the description. */
  url: string;
  /** A name for the server, such as `Production`. */
  description?: string;
}

/** The options that clients can notice. */
type Contract = Omit<CheckedOptions, "authenticate" | "onError" | "onResponse">;

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
  const { cors, rateLimit, defaultStatus } = contract;
  const everywhere = rateLimit ? [...added, ...rateLimitFailures(rateLimit)] : added;
  const common = commonHeaders(contract);
  const operations = DESCRIBED_OPERATIONS.map(([definition, describe]) =>
    renderOperation(definition, describe(contract), everywhere, common)
  );
  const groups = operations.flatMap(({ failures }) => failures);
  const codes = [...Object.keys(ERROR_STATUS), ...added.flatMap(codesOf)];
  const responses = Object.fromEntries(
    groups.filter((group) => Object.hasOwn(group, "response"))
      .map((group) => [group.response!, renderFailure(group, common(statusOf(group)))]),
  );
  const paths: Record<string, JsonObject> = {};
  for (const { path, method, operationObject } of operations) {
    paths[path] = { ...paths[path], [method]: operationObject };
  }
  return {
    openapi: "3.1.0",
    info: { ...INFO, description: cors ? DESCRIPTION + CROSS_ORIGIN : DESCRIPTION },
    servers: checkServers(servers),
    security: [{ bearer: [] }],
    ...TAGS,
    paths,
    components: {
      schemas: {
        ...createSchemas(defaultStatus),
        Error: errorSchema(
          [...new Set(codes)],
          { minimum: 400, maximum: 599 },
          "The body of every response with a status of 400 or more. Each response has a narrower schema of its own.",
        ),
        ...Object.fromEntries(groups.map((group) => [group.schema, failureSchema(group)])),
      },
      responses,
      headers: renderHeaders({ paths, responses }),
      securitySchemes: SECURITY,
    },
  };
}

/** The headers that any response with a status can have. The status of a response of the app is NaN. */
function commonHeaders({ requestIds, rateLimit }: Contract): (status: number) => JsonObject {
  const hasId = (status: number) => requestIds === "all" || (requestIds === "failures" && status >= 400);
  return (status) => ({
    ...(rateLimit && referTo(["RateLimit", "RateLimitPolicy"])),
    ...(hasId(status) && referTo(["RequestId"])),
  });
}

function checkServers(servers: readonly OpenApiServer[]): JsonObject[] {
  const isList = Array.isArray(servers) && servers.every((server) => typeof server?.url === "string");
  if (!isList) throw new TypeError('Option servers must be a list such as [{ url: "https://pets.example/v1" }]');
  return servers.map((server) => ({ ...server }));
}
