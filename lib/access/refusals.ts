/**
 * The responses that refuse a request for its key (RFC 6750). `@__PURE__` lets a bundler leave out
 * those that an app does not use.
 */

import type { KnownErrorCode } from "../error_codes.ts";
import { Problem } from "../http/problem.ts";
import { isMistyped } from "./key_text.ts";

const REALM = 'Bearer realm="petstore"';

export const MISSING_KEY: Problem = /* @__PURE__ */ new Problem(
  401,
  "missing_api_key",
  "An API key is required, as Authorization: Bearer <API_KEY>",
  { "www-authenticate": REALM },
);

export const INVALID_KEY: Problem = /* @__PURE__ */ refusal("The API key is not valid");

export const EXPIRED_KEY: Problem = /* @__PURE__ */ refusal("The API key has expired");

const MISTYPED_KEY: Problem = /* @__PURE__ */ refusal(
  "The API key is incomplete or mistyped: its checksum is wrong",
);

export const READ_ONLY_KEY: Problem = /* @__PURE__ */ withChallenge(
  403,
  "insufficient_scope",
  "The API key may only read",
  "insufficient_scope",
);

const FORM = "The Authorization header must be Bearer <API_KEY>: the word, a space and the key alone";

const MALFORMED: Problem = /* @__PURE__ */ refusal(FORM);

/** The refusal of a header with another scheme, such as Basic. Its challenge omits `error` (RFC 6750 §3.1). */
export const OTHER_SCHEME: Problem = /* @__PURE__ */ new Problem(401, "invalid_api_key", FORM, {
  "www-authenticate": REALM,
});

function refusal(message: string): Problem {
  return withChallenge(401, "invalid_api_key", message, "invalid_token");
}

/**
 * @param code The error code of the service.
 * @param error The error code of RFC 6750 §3.1.
 */
function withChallenge(status: number, code: KnownErrorCode, message: string, error: string): Problem {
  const challenge = `${REALM}, error="${error}", error_description="${message}"`;
  return new Problem(status, code, message, { "www-authenticate": challenge });
}

/**
 * The refusal of a key that is not valid. It is chosen by the form of the key alone, which reveals
 * nothing about valid keys.
 */
export function refusalOf(key: string): Problem {
  // A space or a comma means that something stands beside the key, of which the message tells.
  if (key.includes(" ") || key.includes(",")) return MALFORMED;
  return isMistyped(key) ? MISTYPED_KEY : INVALID_KEY;
}
