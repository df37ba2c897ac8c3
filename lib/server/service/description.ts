import type { JsonObject } from "../../operations/json_types.ts";
import { describe, type OpenApiServer } from "../../openapi/describe.ts";
import type { CheckedOptions } from "../../petstore/checked_options.ts";
import { INVALID_HOST, NOT_SERVING, UNREADABLE } from "./errors.ts";

/** The codes of failures that a request may have before its operation is known. */
const REFUSAL_CODES = [INVALID_HOST, ...Object.values(UNREADABLE), NOT_SERVING].map(({ code }) => code);

/** The OpenAPI description of a petstore that the standalone server serves. */
export function describeServer(settings: CheckedOptions, servers: readonly OpenApiServer[] = []): JsonObject {
  return describe(settings, servers.length > 0 ? servers : undefined, REFUSAL_CODES);
}
