/** Renders the description of a petstore. */

import { ERROR_STATUS } from "../error_codes.ts";
import type { JsonObject } from "../operations/json_types.ts";
import { CROSS_ORIGIN, DESCRIPTION, INFO, REQUEST_ID, SECURITY, TAGS } from "../operations/api.ts";
import type { Problem } from "../http/problem.ts";
import { createSchemas } from "../operations/schemas.ts";
import { DESCRIBED_OPERATIONS } from "../operations/table.ts";
import { type Contract, renderOperation } from "./operations.ts";
import { renderHeaders } from "./responses.ts";

/** An address of the API (Server Object of OpenAPI). */
export interface OpenApiServer {
  /** The base URL of all paths: absolute, such as `https://pets.example/v1`, or relative to the URL of the description. */
  url: string;
  /** What a reader sees as the name of the server, such as `Production`. */
  description?: string;
}

/**
 * Describes a petstore with these options.
 *
 * @param refusals Failures before the operation is known.
 */
export function describe(
  contract: Contract,
  servers: readonly OpenApiServer[] = [{ url: contract.linkBase || "/" }],
  refusals: readonly Problem[] = [],
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const responses: Record<string, JsonObject> = {};
  for (const [definition, describeOperation] of DESCRIBED_OPERATIONS) {
    const { path, method } = definition;
    const operation = renderOperation(definition, describeOperation(contract), contract, responses);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  const codes = new Set([...codesIn({ paths, responses }), ...refusals.map(({ code }) => code)]);
  return {
    openapi: "3.1.0",
    info: { ...INFO, description: describeApi(contract) },
    servers: checkServers(servers),
    security: [{ bearer: [] }],
    ...TAGS,
    paths,
    components: {
      schemas: createSchemas(contract.defaultStatus, [...codes]),
      responses,
      headers: renderHeaders({ paths, responses }),
      securitySchemes: SECURITY,
    },
  };
}

/** The codes that a client of this API may meet: those of its responses, and those that belong to no operation. */
function codesIn(described: JsonObject): string[] {
  const text = JSON.stringify(described);
  return Object.keys(ERROR_STATUS).filter((code) =>
    text.includes(`"code":"${code}"`) || DESCRIPTION.includes(`\`${code}\``)
  );
}

/** What does not depend on the operation is told once, and not for each response. */
function describeApi({ requestIds, cors }: Contract): string {
  const words = [
    DESCRIPTION,
    requestIds !== "none" && `${requestIds === "all" ? "Every response" : "Every failure"} has ${REQUEST_ID}`,
    cors && CROSS_ORIGIN,
  ];
  return words.filter((each) => each).join("\n\n");
}

function checkServers(servers: readonly OpenApiServer[]): JsonObject[] {
  const isList = Array.isArray(servers) && servers.every((server) => typeof server?.url === "string");
  if (!isList) throw new TypeError('Option servers must be a list such as [{ url: "https://pets.example/v1" }]');
  return servers.map((server) => ({ ...server }));
}
