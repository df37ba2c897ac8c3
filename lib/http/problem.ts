/** Failures, and their common form in HTTP. */

import { ERROR_STATUS, type ErrorCode } from "../error_codes.ts";
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

/**
 * A failure to report to the client. It is not an `Error`, because a stack trace costs more than a whole response: a flood of
 * bad requests would be more expensive than good ones. It never leaves the library.
 */
export class Problem {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers: HeaderFields;
  #reply: Reply | undefined;

  constructor(code: ErrorCode, message: string, headers: HeaderFields = {}) {
    this.status = ERROR_STATUS[code];
    this.code = code;
    this.message = message;
    this.headers = headers;
  }

  toReply(): Reply {
    return this.#reply ??= {
      status: this.status,
      headers: { ...JSON_FIELDS, ...this.headers },
      body: `{"code":"${this.code}","message":${JSON.stringify(this.message)},"status":${this.status}}`,
    };
  }
}

/** The response to an unexpected error, whose cause only the operator learns. */
export const INTERNAL_ERROR: Problem = new Problem("internal_error", "An internal error occurred");
