/** Reads request bodies as UTF-8 text, within limits of size and time. */

import type { MaybePromise } from "../maybe_promise.ts";
import { decodeStrictly, discard, MAX_UNDER_WAY, readPieces, WHOLE_BODY } from "./body_stream.ts";
import { Deadlines } from "./deadlines.ts";
import { Problem } from "./problem.ts";
import type { RequestContext } from "./context.ts";
import { trimField } from "./field_value.ts";
import { isDigits } from "../json.ts";

/**
 * Reads the body of a request as text, and resolves to the result of `use`. Throws, or rejects with, a {@link Problem} if
 * the body is unusable. It takes a callback, because a promise of the text would be one more to wait for.
 */
export type TextReader = <T>(context: RequestContext, use: (text: string) => MaybePromise<T>) => Promise<T>;

const CUT_SHORT = /* @__PURE__ */ new Problem(400, "invalid_json", "The request body is incomplete");

const ACCEPT_POST = { "accept-post": "application/json" };

export const NOT_JSON: Problem = /* @__PURE__ */ new Problem(
  415,
  "unsupported_media_type",
  "The request body must be application/json",
  ACCEPT_POST,
);

/** The response to a content coding. Its headers say what is accepted instead (RFC 9110 §12.5.3). */
export const ENCODED: Problem = /* @__PURE__ */ new Problem(
  415,
  "unsupported_media_type",
  "The request body must come without Content-Encoding",
  { ...ACCEPT_POST, "accept-encoding": "identity" },
);

/** The response to a transfer coding besides `chunked`, which the host has removed (RFC 9112 §6.1). */
export const UNKNOWN_CODING: Problem = /* @__PURE__ */ new Problem(
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

/** @param timeoutMs The time from the start of reading to the last byte. Up to a second more may pass. */
export function createTextReader(maxBytes: number, timeoutMs: number): TextReader {
  const deadlines = new Deadlines(timeoutMs);
  const decoder = new TextDecoder();
  const timedOut = bodyTimedOut(timeoutMs);
  const tooLarge = bodyTooLarge(maxBytes);
  const limits = { maxBytes, tooLarge, budget: { left: MAX_UNDER_WAY } };

  function decode(bytes: ArrayBuffer | Uint8Array): string {
    if (bytes.byteLength > maxBytes) throw tooLarge;
    // A byte-order mark is dropped, as RFC 8259 §8.1 permits.
    const text = decoder.decode(bytes);
    // On Deno, the strict decoder takes three times as long. Only this character can stand for a fault.
    return text.includes("\uFFFD") ? decodeStrictly(bytes) : text;
  }

  return (context, use) => {
    requireJson(context);
    // A mistake of the app, not of the client.
    if (context.bodyUsed) throw new TypeError("The request body has already been read");
    const declared = context.header("content-length");
    const isFramed = declared !== null && isDigits(declared);
    // HTTP/2 does not refuse lengths that differ, and a proxy that forwards by HTTP/1 would choose one.
    if (declared !== null && !isFramed && new Set(declared.split(/, */)).size > 1) throw CUT_SHORT;
    if (!isFramed) requireChunked(context);
    if (isFramed && +declared > maxBytes) throw tooLarge;
    const reader = isFramed && +declared <= WHOLE_BODY ? undefined : context.openBody()?.getReader();
    return new Promise((resolve, reject) => {
      let isLate = false;
      const deadline = deadlines.begin(() => {
        isLate = true;
        reject(timedOut);
        if (reader) discard(reader);
      });
      const body: Promise<ArrayBuffer | Uint8Array> = reader ? readPieces(reader, limits) : context.readBody();
      body.then((body) => {
        if (isLate) return;
        deadlines.end(deadline);
        try {
          resolve(use(decode(body)));
        } catch (thrown) {
          reject(thrown);
        }
      }, (thrown) => {
        deadlines.end(deadline);
        reject(thrown instanceof Problem ? thrown : CUT_SHORT);
      });
    });
  };
}

function requireChunked(context: RequestContext): void {
  const coding = context.header("transfer-encoding");
  if (coding !== null && coding.toLowerCase() !== "chunked") throw UNKNOWN_CODING;
}

/** Accepts `application/json` in any case, with or without parameters, or no Content-Type at all. Refuses codings. */
function requireJson(context: RequestContext): void {
  const type = context.header("content-type");
  if (type !== null && type !== "application/json") {
    const essence = trimField(type.split(";", 1)[0]!).toLowerCase();
    if (essence !== "application/json") throw NOT_JSON;
  }
  const encoding = context.header("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") throw ENCODED;
}
