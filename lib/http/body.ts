/**
 * Reads the body of a request as text, within a limit of bytes and of time. A fault of the client becomes a `Problem` with a status of its
 * own; what else fails, such as a stream of the app that throws, is an error of the service.
 */

import { quoted } from "../json.ts";
import { discard } from "../promises.ts";
import { createBudgets, decodeStrictly, readPieces, WHOLE_BODY } from "./body_stream.ts";
import { createDeadlines } from "./deadlines.ts";
import { IN_WORKERS } from "./platform.ts";
import { isInterruption } from "./interruption.ts";
import { Problem } from "./problem.ts";
import type { RequestContext } from "./context.ts";
import { trimField } from "./request_text.ts";

/** Reads the body of a request as text. */
export type TextReader = (context: RequestContext) => Promise<string>;

const CUT_SHORT = /* @__PURE__ */ new Problem(400, "invalid_json", "The request body is incomplete");

export const ACCEPT_POST = { "accept-post": "application/json" };

/** @param type The media type that was sent, such as the one of a form, which `curl -d` sends if it is told no other. */
export function notJson(type: string): Problem {
  return new Problem(
    415,
    "unsupported_media_type",
    `The request body must be application/json, not ${quoted(type)}`,
    ACCEPT_POST,
  );
}

/** RFC 9110 §12.5.3: the headers say which coding is accepted. */
export const ENCODED: Problem = /* @__PURE__ */ new Problem(
  415,
  "unsupported_media_type",
  "The request body must come without Content-Encoding",
  { ...ACCEPT_POST, "accept-encoding": "identity" },
);

/** The response to a body with a coding that the host has not removed. Hosts remove `chunked` alone (RFC 9112 §6.1). */
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

export function createTextReader(maxBytes: number, timeoutMs: number): TextReader {
  const beginDeadline = createDeadlines(timeoutMs, IN_WORKERS);
  const budgetOfRequest = createBudgets(timeoutMs);
  const decoder = new TextDecoder();
  const timedOut = bodyTimedOut(timeoutMs);
  const tooLarge = bodyTooLarge(maxBytes);

  return async (context) => {
    requireJson(context);
    // That the body has been read is the app's mistake, not the client's, so it is no 400.
    if (context.bodyUsed) throw new TypeError("The request body has already been read");
    const length = declaredLength(context);
    if (length === undefined) requireChunked(context);
    else if (length > maxBytes) throw tooLarge;
    const isShort = length !== undefined && length <= WHOLE_BODY;
    // A request without a body has no stream either, and is read as a whole, which gives an empty text.
    const reader = isShort ? undefined : context.openBody()?.getReader();
    // The body settles this promise, or the deadline does.
    const { promise: read, resolve, reject } = Promise.withResolvers<ArrayBuffer | Uint8Array>();
    const endDeadline = beginDeadline(() => {
      reject(timedOut);
      if (reader) discard(reader);
    });
    try {
      const body = reader ? readPieces(reader, maxBytes, tooLarge, budgetOfRequest()) : context.readBody();
      body.then(resolve, reject);
      return decode(await read);
    } catch (thrown) {
      throw isInterruption(thrown) ? CUT_SHORT : thrown;
    } finally {
      endDeadline();
    }
  };

  function decode(bytes: ArrayBuffer | Uint8Array): string {
    if (bytes.byteLength > maxBytes) throw tooLarge;
    // Drops a byte-order mark, as RFC 8259 §8.1 permits.
    const text = decoder.decode(bytes);
    // The strict decoder is slower. Only this character can stand for a fault.
    return text.includes("\uFFFD") ? decodeStrictly(bytes) : text;
  }
}

/**
 * The length that the client has announced, or `undefined` without one. Several lengths that differ are refused: HTTP/2 lets them pass, and
 * a proxy that forwards by HTTP/1 would choose one of them.
 */
function declaredLength(context: RequestContext): number | undefined {
  const declared = context.header("content-length");
  if (declared === null) return undefined;
  if (/^\d+$/.test(declared)) return Number(declared);
  if (new Set(declared.split(/, */)).size > 1) throw CUT_SHORT;
  return undefined;
}

function requireChunked(context: RequestContext): void {
  const coding = context.header("transfer-encoding");
  if (coding !== null && coding.toLowerCase() !== "chunked") throw UNKNOWN_CODING;
}

/**
 * Requires JSON without a content coding. A request without a Content-Type is taken for JSON, because RFC 9110 §8.3
 * lets the receiver decide.
 */
function requireJson(context: RequestContext): void {
  const type = context.header("content-type");
  if (type !== null && type !== "application/json") {
    const essence = trimField(type.split(";", 1)[0]!).toLowerCase();
    if (essence !== "application/json") throw notJson(essence);
  }
  const encoding = context.header("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") throw ENCODED;
}
