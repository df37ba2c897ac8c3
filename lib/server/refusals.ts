/** The failures of the standalone server. */

import { HttpError } from "../http/errors.ts";

export const INVALID_HOST: HttpError = new HttpError("invalid_host", "The Host header must be a host and nothing else");

/** Tells the client that the server is about to close this connection. */
export const CLOSE = { connection: "close" };

/** The answer before the service has started and after it has stopped. */
export const CLOSED: HttpError = new HttpError(
  "store_unavailable",
  "The server is starting or stopping; try again later",
  { "retry-after": "1", ...CLOSE },
);

/** The answer of `/readyz` while a worker is being replaced or does not respond. */
export const INCOMPLETE: HttpError = new HttpError(
  "store_unavailable",
  "Not every worker serves; try again later",
  { "retry-after": "1" },
);
