import type { JsonObject } from "../../json_types.ts";
import type { Problem } from "../../http/problem.ts";
import { describe } from "../../openapi/describe.ts";
import { type FailureGroup, group } from "../../operations/failure_groups.ts";
import type { CheckedOptions } from "../../petstore/checked_options.ts";
import { CLOSED, HEAD_TOO_LARGE, INVALID_HOST, MALFORMED, TOO_LATE } from "./errors.ts";

/** A failure before routing, which every operation can have. */
const before = (name: string, reason: string, problems: Problem[]): FailureGroup =>
  group(`${name}Error`, reason, problems, { response: name, phase: "before" });

/** On Deno, three of them do not occur. */
const FAILURES: FailureGroup[] = [
  before("InvalidHead", "the Host header is invalid, or the request is not valid HTTP", [INVALID_HOST, MALFORMED]),
  before("RequestTimeout", "the request did not arrive in time", [TOO_LATE]),
  before("HeadTooLarge", "the head of the request is too large", [HEAD_TOO_LARGE]),
  before("ServerUnavailable", "the server is starting or stopping", [CLOSED]),
];

/** The OpenAPI description of a petstore that the standalone server serves. */
export function describeServer(options: CheckedOptions): JsonObject {
  return describe(options, undefined, FAILURES);
}
