import type { ErrorCode, KnownErrorCode } from "../error_codes.ts";
import { type HeaderFields, JSON_FIELDS, type Reply } from "./reply.ts";

/** The JSON body of every response with a status of 400 or more. */
export interface ErrorBody {
  /** A machine-readable error code. */
  code: ErrorCode;
  /** A description, which may change. Programs should use `code`. */
  message: string;
  /** The status of the response. */
  status: number;
}

export type ServerErrorCode = "invalid_host" | "bad_request" | "head_too_large";

/**
 * A failure as a reply, with the Error body of the specification and not that of RFC 9457. It is no
 * `Error`, because stack traces would make floods of bad requests expensive.
 */
export class Problem implements Reply {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: string;
  readonly code: string;

  /**
   * @param status The status of the code in {@link ERROR_STATUS}. It is given, and not looked up,
   * because the table would enlarge bundles.
   */
  constructor(status: number, code: KnownErrorCode | ServerErrorCode, message: string, fields: HeaderFields = {}) {
    this.status = status;
    this.code = code;
    this.headers = { ...JSON_FIELDS, ...fields };
    this.body = `{"code":"${code}","message":${JSON.stringify(message)},"status":${status}}`;
  }
}

export const INTERNAL_ERROR: Problem = /* @__PURE__ */ new Problem(500, "internal_error", "An internal error occurred");
