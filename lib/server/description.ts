import type { JsonObject } from "../json_types.ts";
import { describe } from "../openapi/describe.ts";
import { type FailureGroup, group } from "../operations/failure_groups.ts";
import type { Settings } from "../petstore/settings.ts";
import { CLOSED, INVALID_HOST } from "./errors.ts";

/** The failures that the server adds to every operation, because they occur before routing. */
const FAILURES: FailureGroup[] = [
  group("InvalidHostError", "the Host header is invalid", [INVALID_HOST], { response: "InvalidHost", phase: "before" }),
  group("ServerUnavailableError", "the server is starting or stopping", [CLOSED], {
    response: "ServerUnavailable",
    phase: "before",
  }),
];

/** The OpenAPI description of a petstore that the standalone server serves. */
export function describeServer(settings: Settings): JsonObject {
  return describe(settings, undefined, FAILURES);
}
