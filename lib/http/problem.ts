/** Failures, and their common form in HTTP. */

import type { ErrorCode } from "../error_codes.ts";
import { type HeaderFields, JSON_FIELDS, type Reply } from "./reply.ts";

/** The JSON body of every response with a status of 400 or more. */
export interface ErrorBody {
  /** A machine-readable error code. */
  code: ErrorCode;
  /** A human-readable description. It may change, so programs should use `code`. */
  message: string;
  /** The HTTP status code of the response. */
  status: number;
}

/** The codes that only the standalone server sends. */
export type ServerErrorCode = "invalid_host" | "bad_request" | "head_too_large";

/**
 * A failure to report to the client, with the Error body of the specification, not that of RFC 9457. It is a reply, so that nothing
 * has to turn it into one: it is returned where a reply is, and thrown where something else is, which takes a microsecond more. It
 * is not an `Error`, because a stack trace costs more than a whole response: a flood of bad requests would be more expensive than
 * good ones. It never leaves the library.
 */
export class Problem implements Reply {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: string;

  /** @param status That of the code in {@link ERROR_STATUS}. The whole table would be a part of each bundle. */
  constructor(status: number, code: ErrorCode | ServerErrorCode, message: string, fields: HeaderFields = {}) {
    this.status = status;
    this.headers = { ...JSON_FIELDS, ...fields };
    this.body = `{"code":"${code}","message":${JSON.stringify(message)},"status":${status}}`;
  }
}

/** The response to an unexpected error, whose cause only the operator learns. */
export const INTERNAL_ERROR: Problem = /* @__PURE__ */ new Problem(500, "internal_error", "An internal error occurred");
