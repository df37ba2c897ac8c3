/**
 * Reads the body of a request as text, within a limit of bytes and of time. A fault of the client becomes a `Problem` with a status of its
 * own; what else fails, such as a stream of the app that throws, is an error of the service.
 */

import { quoted } from "../json.ts";
import { discard } from "../promises.ts";
import { createMemoryBudgets, MAX_BYTES_AT_ONCE, readPieces } from "./body_stream.ts";
import { createDeadlines } from "./deadlines.ts";
import { IN_WORKERS } from "./platform.ts";
import { isInterruption } from "./interruption.ts";
import { Problem } from "./problem.ts";
import type { RequestContext } from "./context.ts";
import { trimField } from "./request_text.ts";

/** Reads the body of a request as text. */
export type TextReader = (context: RequestContext) => Promise<string>;

const INCOMPLETE = /* @__PURE__ */ new Problem(400, "invalid_json", "The request body is incomplete");

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

export function createTextReader(maxBytes: number, timeoutMs: number): TextReader {
  // On Workers, a timer ends with the request that has set it. Elsewhere, one timer serves the deadlines of all bodies.
  const hasOwnTimers = IN_WORKERS;
  const beginDeadline = createDeadlines(timeoutMs, hasOwnTimers);
  // All bodies that are read piece by piece share a budget of memory, since many clients could fill the memory together.
  const currentMemoryBudget = createMemoryBudgets(timeoutMs);
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
    // The host allocates a body that it reads at once before a byte has come. So only a short one is read in this way, others piece by piece.
    const isShort = length !== undefined && length <= MAX_BYTES_AT_ONCE;
    // A request without a body has no stream either, and is read at once, which gives an empty text.
    const reader = isShort ? undefined : context.openBody()?.getReader();
    // This is a race of the body and the deadline. `Promise.race()` would cost 0.2 µs more.
    const { promise: firstOutcome, resolve, reject } = Promise.withResolvers<ArrayBuffer | Uint8Array>();
    const endDeadline = beginDeadline(() => reject(timedOut));
    try {
      const body = reader
        ? readPieces(reader, { maxBytes, tooLarge, budget: currentMemoryBudget() })
        : context.readBody();
      body.then(resolve, reject);
      return decode(await firstOutcome);
    } catch (thrown) {
      // The source of a late body is told that the rest will not be read.
      if (thrown === timedOut && reader) discard(reader);
      throw isInterruption(thrown) ? INCOMPLETE : thrown;
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

const NOT_UTF8 = /* @__PURE__ */ new Problem(400, "invalid_json", "The request body is not valid UTF-8");

function decodeStrictly(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw NOT_UTF8;
  }
}

/** The length that the client has announced, or `undefined` without one. */
function declaredLength(context: RequestContext): number | undefined {
  const declared = context.header("content-length");
  if (declared === null) return undefined;
  if (/^\d+$/.test(declared)) return Number(declared);
  // Lengths that differ are refused, as the body cannot have all of them. HTTP/2 lets them pass, and a proxy that forwards by HTTP/1 would
  // choose one.
  const lengths = new Set(declared.split(/, */));
  if (lengths.size > 1) throw INCOMPLETE;
  return undefined;
}

function requireChunked(context: RequestContext): void {
  const coding = context.header("transfer-encoding");
  if (coding !== null && coding.toLowerCase() !== "chunked") throw UNKNOWN_TRANSFER_CODING;
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
  if (encoding !== null && encoding.toLowerCase() !== "identity") throw HAS_CONTENT_CODING;
}
