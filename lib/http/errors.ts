/** The one shape of every failure. */

import { ERROR_STATUS, type ErrorCode } from "../error_codes.ts";
import { type Answer, type HeaderFields, JSON_FIELDS } from "./answer.ts";

/** The body of every answer with a status of 400 or more. */
export interface ErrorBody {
  /** Machine-readable error code. */
  code: ErrorCode;
  /** Human-readable description. It can change; decide by `code`. */
  message: string;
  /** The HTTP status code of the response. */
  status: number;
}

/**
 * A failure that the client is told about. Not an `Error`: it never leaves the library, and recording a stack trace costs
 * more than a whole answer, which would make a flood of bad requests more expensive than good ones.
 */
export class HttpError {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers: HeaderFields;
  #answer: Answer | undefined;

  constructor(code: ErrorCode, message: string, headers: HeaderFields = {}) {
    this.status = ERROR_STATUS[code];
    this.code = code;
    this.message = message;
    this.headers = headers;
  }

  /** The answer that tells the client. */
  toAnswer(): Answer {
    return this.#answer ??= {
      status: this.status,
      headers: { ...JSON_FIELDS, ...this.headers },
      body: `{"code":"${this.code}","message":${JSON.stringify(this.message)},"status":${this.status}}`,
    };
  }
}

/** Any failure that is not meant for the client. Its cause goes to the operator. */
export const INTERNAL_ERROR: HttpError = new HttpError("internal_error", "An internal error occurred");
