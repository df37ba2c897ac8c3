/** Bearer tokens in the `Authorization` header (RFC 6750 §2.1), and the refusals of a request without a valid one. */

import { HttpError } from "../http/errors.ts";

/** Longer than any sensible key or JWT, and short enough that a bad one is cheap. */
export const MAX_KEY_LENGTH = 4096;

const REALM = 'Bearer realm="petstore"';

/** A request without a key. */
export const MISSING_KEY: HttpError = new HttpError(
  "missing_api_key",
  "An API key is required, as Authorization: Bearer <API_KEY>",
  { "www-authenticate": REALM },
);

/** A request with a key that is not valid. */
export const INVALID_KEY: HttpError = refusal("The API key is not valid");

/** A request with a key that was valid until a moment that has passed. */
export const EXPIRED_KEY: HttpError = refusal("The API key has expired");

/** A key without its scheme, with another one, or with the scheme twice. */
export const MALFORMED: HttpError = refusal(
  "The Authorization header must be Bearer <API_KEY>: the word, a space and the key alone",
);

function refusal(message: string): HttpError {
  const challenge = `${REALM}, error="invalid_token", error_description="${message}"`;
  return new HttpError("invalid_api_key", message, { "www-authenticate": challenge });
}

/** Where the token of `Bearer <token>` begins, the scheme in any case (RFC 9110 §11.1), or `undefined`. */
export function tokenStart(authorization: string): number | undefined {
  if (!authorization.startsWith("Bearer ") && authorization.slice(0, 7).toLowerCase() !== "bearer ") return undefined;
  let start = 7;
  while (authorization.charCodeAt(start) === 0x20) start++;
  return start;
}

/**
 * Whether a text can be a key: visible ASCII without comma. RFC 6750 allows less, and many issuers use more. A comma is
 * where two `Authorization` headers were joined, and the choice between two credentials is not ours to make.
 */
export function isKeyText(text: string): boolean {
  if (text === "" || text.length > MAX_KEY_LENGTH) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x21 || unit > 0x7e || unit === 0x2c) return false;
  }
  return true;
}
