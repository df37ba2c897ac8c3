/** The HTTP status of each error code: the one source for types, responses and the OpenAPI description. */
export const ERROR_STATUS = {
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_scope: 403,
  route_not_found: 404,
  method_not_allowed: 405,
  invalid_limit: 400,
  invalid_status: 400,
  invalid_cursor: 400,
  unsupported_media_type: 415,
  body_too_large: 413,
  request_timeout: 408,
  invalid_idempotency_key: 400,
  idempotency_key_reused: 422,
  invalid_json: 400,
  invalid_pet: 400,
  pet_not_found: 404,
  gone: 410,
  not_implemented: 501,
  store_unavailable: 503,
  overloaded: 503,
  internal_error: 500,
} as const;

/** The error codes of this release. */
export type KnownErrorCode = keyof typeof ERROR_STATUS;

/** A machine-readable error code: the `code` of every Error body. A later release may add some. */
export type ErrorCode = keyof typeof ERROR_STATUS | (string & Record<never, never>);
