/** The failures that only the standalone server answers. */

import { HttpError } from "../http/errors.ts";

/** The answer to a request whose Host header cannot be a host. */
export const INVALID_HOST: HttpError = new HttpError("invalid_host", "The Host header must be a host and nothing else");

/** Tells a client to send nothing more on this connection, which the server is about to close. */
export const CLOSE = { connection: "close" };

/** The answer to a request that comes too early or too late. */
export const CLOSED: HttpError = new HttpError(
  "store_unavailable",
  "The server is starting or stopping; try again later",
  { "retry-after": "1", ...CLOSE },
);
