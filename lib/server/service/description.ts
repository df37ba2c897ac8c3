import type { JsonObject } from "../../operations/json_types.ts";
import { describe, type OpenApiServer } from "../../openapi/describe.ts";
import type { CheckedSettings } from "../../petstore/checked_options.ts";
import { HEAD_TOO_LARGE, INVALID_HOST, MALFORMED, NOT_SERVING, TOO_LATE } from "./errors.ts";

/** The failures that a request may have before its operation is known. On Deno, MALFORMED, TOO_LATE and HEAD_TOO_LARGE do not occur. */
const REFUSALS = [INVALID_HOST, MALFORMED, TOO_LATE, HEAD_TOO_LARGE, NOT_SERVING];

/** The OpenAPI description of a petstore that the standalone server serves. */
export function describeServer(settings: CheckedSettings, servers: readonly OpenApiServer[] = []): JsonObject {
  return describe(settings, servers.length > 0 ? servers : undefined, REFUSALS);
}
