/** Renders the description of a petstore. */

import { ERROR_STATUS } from "../error_codes.ts";
import type { JsonObject } from "../operations/json_types.ts";
import { CROSS_ORIGIN_PARAGRAPH, describeRequestIds, INFO, INTRODUCTION, SECURITY, TAGS } from "../operations/api.ts";
import type { Problem } from "../http/problem.ts";
import { linkBaseOf } from "../operations/definition.ts";
import { createSchemas } from "../operations/schemas.ts";
import { DESCRIBED_OPERATIONS } from "../operations/table.ts";
import { type Contract, renderOperation } from "./operations.ts";
import { renderHeaderComponents } from "./responses.ts";

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
  servers: readonly OpenApiServer[] = [{ url: linkBaseOf(contract) || "/" }],
  refusals: readonly Problem[] = [],
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const sharedResponses: Record<string, JsonObject> = {};
  for (const [definition, describeOperation] of DESCRIBED_OPERATIONS) {
    const { path, method } = definition;
    const operation = renderOperation(definition, describeOperation(contract), contract, sharedResponses);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  const described = { paths, sharedResponses };
  const codes = new Set([...codesOf(described), ...refusals.map(({ code }) => code)]);
  return {
    openapi: "3.1.0",
    info: { ...INFO, description: describeApi(contract) },
    servers: servers.map((server) => ({ ...server })),
    security: [{ bearer: [] }],
    ...TAGS,
    paths,
    components: {
      schemas: createSchemas(contract.defaultStatus, [...codes]),
      responses: sharedResponses,
      headers: renderHeaderComponents(described),
      securitySchemes: SECURITY,
    },
  };
}

/** The codes that a client of this API may meet: those in the examples of its responses, and those that the introduction names. */
function codesOf(described: JsonObject): string[] {
  const text = JSON.stringify(described);
  const isInExample = (code: string) => text.includes(`"code":"${code}"`);
  const isInIntroduction = (code: string) => INTRODUCTION.includes(`\`${code}\``);
  return Object.keys(ERROR_STATUS).filter((code) => isInExample(code) || isInIntroduction(code));
}

/** What does not depend on the operation is told once, and not for each response. */
function describeApi({ requestIds, cors }: Contract): string {
  const paragraphs = [INTRODUCTION];
  if (requestIds !== "none") paragraphs.push(describeRequestIds(requestIds));
  if (cors) paragraphs.push(CROSS_ORIGIN_PARAGRAPH);
  return paragraphs.join("\n\n");
}
