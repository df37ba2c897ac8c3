import type { JsonObject } from "../json_types.ts";
import { describe } from "../openapi/describe.ts";
import { type FailureGroup, group } from "../operations/failure_groups.ts";
import type { CheckedOptions } from "../petstore/checked_options.ts";
import { CLOSED, HEAD_TOO_LARGE, INVALID_HOST, MALFORMED, TOO_LATE } from "./errors.ts";

/** The failures that the server adds to every operation, because they occur before routing. On Deno, three do not occur. */
const FAILURES: FailureGroup[] = [
  group("InvalidHeadError", "the Host header is invalid, or the request is not valid HTTP", [INVALID_HOST, MALFORMED], {
    response: "InvalidHead",
    phase: "before",
  }),
  group("RequestTimeoutError", "the request did not arrive in time", [TOO_LATE], {
    response: "RequestTimeout",
    phase: "before",
  }),
  group("HeadTooLargeError", "the head of the request is too large", [HEAD_TOO_LARGE], {
    response: "HeadTooLarge",
    phase: "before",
  }),
  group("ServerUnavailableError", "the server is starting or stopping", [CLOSED], {
    response: "ServerUnavailable",
    phase: "before",
  }),
];

/** The OpenAPI description of a petstore that the standalone server serves. */
export function describeServer(settings: CheckedOptions): JsonObject {
  return describe(settings, undefined, FAILURES);
}
