/** The failures that only the standalone server has. */

import { Problem } from "../../http/problem.ts";

export const INVALID_HOST: Problem = new Problem(
  400,
  "invalid_host",
  "The Host header must be a host and nothing else",
);

/** The header field by which a response tells the client that the server is about to close this connection. */
export const CLOSE_FIELD = { connection: "close" };

/**
 * The response to what Node cannot read, or accepts although RFC 9112 forbids it. On Deno, this
 * does not occur, nor do {@link UNREADABLE}.
 */
export const MALFORMED: Problem = new Problem(
  400,
  "bad_request",
  "The request is not valid HTTP, or its method is not known",
  CLOSE_FIELD,
);

/** Other responses to what Node cannot read, by the code of its error. */
export const UNREADABLE: Readonly<Record<string, Problem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, "request_timeout", "The request did not arrive in time", CLOSE_FIELD),
  HPE_HEADER_OVERFLOW: new Problem(431, "head_too_large", "The head of the request must be smaller", CLOSE_FIELD),
};

/** The response to each request before the service has started and after it has stopped. */
export const NOT_SERVING: Problem = new Problem(
  503,
  "store_unavailable",
  "The server is starting or stopping; try again later",
  { "retry-after": "1", ...CLOSE_FIELD },
);
