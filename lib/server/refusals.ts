/** The standalone server's own failures. */

import { HttpError } from "../http/errors.ts";

/** A Host header that cannot be a host. */
export const INVALID_HOST: HttpError = new HttpError("invalid_host", "The Host header must be a host and nothing else");
