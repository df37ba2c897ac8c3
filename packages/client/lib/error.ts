/** The codes of a petstore, as `ERROR_STATUS` of `@petstore/petstore` has them. A later release may add some. */
export type ErrorCode =
  | "missing_api_key"
  | "invalid_api_key"
  | "insufficient_scope"
  | "route_not_found"
  | "method_not_allowed"
  | "invalid_limit"
  | "invalid_status"
  | "invalid_cursor"
  | "unsupported_media_type"
  | "body_too_large"
  | "request_timeout"
  | "invalid_idempotency_key"
  | "idempotency_key_reused"
  | "invalid_json"
  | "invalid_pet"
  | "pet_not_found"
  | "gone"
  | "not_implemented"
  | "store_unavailable"
  | "overloaded"
  | "internal_error"
  // Any other string is permitted, in a form that lets an editor complete the codes above.
  | (string & Record<never, never>);

/**
 * - `connection_failed`: no whole response came.
 * - `deadline_exceeded`: `timeoutMs` had passed.
 * - `unexpected_response`: something other than a petstore answered, such as a proxy.
 */
export type ClientErrorCode = "connection_failed" | "deadline_exceeded" | "unexpected_response";

/** The codes of a petstore and of the client. Other servers may have codes of their own. */
export type PetstoreErrorCode = ErrorCode | ClientErrorCode;

/** What is known about a failure beside its code and its message. */
export interface ResponseFacts {
  /** The status of the response. Default: 0, for no response. */
  status?: number | undefined;
  /** The `X-Request-Id` of the response. */
  requestId?: string | undefined;
  /** The `Retry-After` of the response, in milliseconds. */
  retryAfterMs?: number | undefined;
  /**
   * What is known of the runtime's error that has led to this one, or the failure of an earlier
   * attempt; see {@link PetstoreError}.
   */
  cause?: unknown;
}

/**
 * The failure of a call: an error of the petstore, or of the way to it.
 *
 * Was a request that adds a pet carried out all the same? It was not, if the `code` is one of a
 * petstore, the `status` is 400 to 499, and there is no `cause`. Otherwise it may have been. The
 * `cause` says more:
 *
 * - If no whole response came, it has the message, the `code` and the stack of the runtime's error.
 * - If a response came, or the deadline, it is the failure of the attempt before. After the first
 *   attempt, there is no cause.
 */
export class PetstoreError extends Error {
  /** The name that logs show. */
  override name = "PetstoreError";
  /** The `code` of the response's body, or a code of the client's own. */
  readonly code: PetstoreErrorCode;
  /** The HTTP status; 0 if there was no response, or if a browser hides it. */
  readonly status: number;
  /** The id by which the operator finds the request in the logs. */
  readonly requestId: string | undefined;
  /** The server's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  /** Makes an error. Only the client does this. */
  constructor(code: PetstoreErrorCode, message: string, facts: ResponseFacts = {}) {
    const { status = 0, requestId, retryAfterMs, cause } = facts;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}
