/** What may be wrong with the body of a request. Each is the reply to it. */

import { quoted } from "../excerpt.ts";
import { Problem } from "./problem.ts";

export const INCOMPLETE = /* @__PURE__ */ new Problem(400, "invalid_json", "The request body is incomplete");

export const ACCEPT_POST = { "accept-post": "application/json" };

/**
 * @param type The media type that was sent, such as the one of a form, which `curl -d` sends if it
 * is told no other.
 */
export function notJson(type: string): Problem {
  return new Problem(
    415,
    "unsupported_media_type",
    `The request body must be application/json, not ${quoted(type)}`,
    ACCEPT_POST,
  );
}

/** RFC 9110 §12.5.3: the headers say which coding is accepted. */
export const HAS_CONTENT_CODING: Problem = /* @__PURE__ */ new Problem(
  415,
  "unsupported_media_type",
  "The request body must come without Content-Encoding",
  { ...ACCEPT_POST, "accept-encoding": "identity" },
);

/** The response to a body with a coding that the host has not removed. Hosts remove `chunked` alone (RFC 9112 §6.1). */
export const UNKNOWN_TRANSFER_CODING: Problem = /* @__PURE__ */ new Problem(
  501,
  "not_implemented",
  "The only supported Transfer-Encoding is chunked",
);

export function bodyTooLarge(maxBytes: number): Problem {
  return new Problem(413, "body_too_large", `The request body must be at most ${maxBytes} bytes`);
}

export function bodyTimedOut(timeoutMs: number): Problem {
  return new Problem(408, "request_timeout", `The request body did not arrive within ${timeoutMs} ms`);
}

export const NOT_UTF8 = /* @__PURE__ */ new Problem(400, "invalid_json", "The request body is not valid UTF-8");

export const OVERLOADED: Problem = /* @__PURE__ */ new Problem(
  503,
  "overloaded",
  "Too many large bodies; try again later",
  { "retry-after": "1" },
);
