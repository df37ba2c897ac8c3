import type { JsonObject } from "../openapi/json_types.ts";
import { createDescription, type OpenApiOptions } from "../openapi/openapi.ts";
import type { FailureGroup } from "../openapi/responses.ts";
import { CLOSED, INVALID_HOST } from "./errors.ts";

/** The failures that the server adds to every operation, because they occur before routing. */
const FAILURES: FailureGroup[] = [
  {
    schema: "InvalidHostError",
    reason: "the Host header is invalid",
    errors: [INVALID_HOST],
    response: "InvalidHost",
  },
  {
    schema: "ServerUnavailableError",
    reason: "the server is starting or stopping",
    errors: [CLOSED],
    response: "ServerUnavailable",
  },
];

/** The OpenAPI description of a petstore that the standalone server serves. */
export function describeServer(options: OpenApiOptions): JsonObject {
  return createDescription(options, FAILURES);
}
