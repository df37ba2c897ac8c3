/** The failures of the standalone server. */

import { Problem } from "../../http/problem.ts";

export const INVALID_HOST: Problem = new Problem(
  400,
  "invalid_host",
  "The Host header must be a host and nothing else",
);

/** Tells the client that the server is about to close this connection. */
export const CLOSE = { connection: "close" };

/** The responses to what Node cannot read, or reads against RFC 9112. */
export const MALFORMED: Problem = new Problem(
  400,
  "bad_request",
  "The request is not valid HTTP, or its method is not known",
  CLOSE,
);
export const TOO_LATE: Problem = new Problem(408, "request_timeout", "The request did not arrive in time", CLOSE);
export const HEAD_TOO_LARGE: Problem = new Problem(
  431,
  "head_too_large",
  "The head of the request must be smaller",
  CLOSE,
);

/** The response before the service has started and after it has stopped. */
export const CLOSED: Problem = new Problem(
  503,
  "store_unavailable",
  "The server is starting or stopping; try again later",
  { "retry-after": "1", ...CLOSE },
);
