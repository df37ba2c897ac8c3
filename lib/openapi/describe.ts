/** Renders the description of a petstore. */

import { ERROR_STATUS } from "../error_codes.ts";
import type { JsonObject } from "../operations/json_types.ts";
import { CROSS_ORIGIN_PARAGRAPH, describeRequestIds, INFO, INTRODUCTION, SECURITY, TAGS } from "../operations/api.ts";
import { linkBaseOf } from "../operations/definition.ts";
import { createSchemas } from "../operations/schemas.ts";
import { DESCRIBED_OPERATIONS } from "../operations/table.ts";
import type { CheckedOptions } from "../petstore/checked_options.ts";
import { renderHeaderComponents, renderOperation } from "./operations.ts";

/** An address of the API (Server Object of OpenAPI). */
export interface OpenApiServer {
  /**
   * The base URL of all paths: absolute, such as `https://pets.example/v1`, or relative to the URL
   * of the description.
   */
  url: string;
  /** What a reader sees as the name of the server, such as `Production`. */
  description?: string;
}

/**
 * Describes a petstore with these options.
 *
 * @param furtherCodes Error codes that are not of the library, but of the server around it.
 */
export function describe(
  settings: CheckedOptions,
  servers: readonly OpenApiServer[] = [{ url: linkBaseOf(settings) || "/" }],
  furtherCodes: readonly string[] = [],
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const responses: Record<string, JsonObject> = {};
  for (const [definition, describeOperation] of DESCRIBED_OPERATIONS) {
    const { path, method } = definition;
    const { operation, sharedResponses } = renderOperation(definition, describeOperation(settings), settings);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
    Object.assign(responses, sharedResponses);
  }
  const codes = new Set([...Object.keys(ERROR_STATUS), ...furtherCodes]);
  return {
    openapi: "3.1.0",
    info: { ...INFO, description: describeApi(settings) },
    servers: servers.map((server) => ({ ...server })),
    security: [{ bearer: [] }],
    ...TAGS,
    paths,
    components: {
      schemas: createSchemas(settings.defaultStatus, [...codes]),
      responses,
      headers: renderHeaderComponents({ paths, responses }),
      securitySchemes: SECURITY,
    },
  };
}

/** What does not depend on the operation is told once, and not for each response. */
function describeApi({ requestIds, cors }: CheckedOptions): string {
  const paragraphs = [INTRODUCTION];
  if (requestIds !== "none") paragraphs.push(describeRequestIds(requestIds));
  if (cors) paragraphs.push(CROSS_ORIGIN_PARAGRAPH);
  return paragraphs.join("\n\n");
}
