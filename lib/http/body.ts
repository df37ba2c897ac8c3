/**
 * Reads the body of a request as text, within a limit of bytes and of time. A fault of the client
 * becomes a `Problem` with a status of its own; what else fails, such as a stream of the app that
 * throws, is an error of the service.
 */

import { waitUnless } from "../promises.ts";
import {
  bodyTimedOut,
  bodyTooLarge,
  HAS_CONTENT_CODING,
  INCOMPLETE,
  NOT_UTF8,
  notJson,
  UNKNOWN_TRANSFER_CODING,
} from "./body_problems.ts";
import { cancelLater, createMemoryBudgets, MAX_BYTES_AT_ONCE, openReader, readPieces } from "./body_stream.ts";
import { createDeadlines } from "./deadlines.ts";
import { isInterruption } from "./interruption.ts";
import type { RequestContext } from "./context.ts";

/** Reads the body of a request as text. */
export type TextReader = (context: RequestContext) => Promise<string>;

export function createTextReader(maxBytes: number, timeoutMs: number): TextReader {
  const beginDeadline = createDeadlines(timeoutMs);
  // All bodies that are read piece by piece share a budget of memory, since many clients could fill
  // the memory together.
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
    // The host allocates a body that it reads at once before a byte has come. So only a short one
    // is read in this way, others piece by piece.
    const isShort = length !== undefined && length <= MAX_BYTES_AT_ONCE;
    // A request without a body has no stream either, and is read at once, which gives an empty text.
    const stream = isShort ? null : context.openBody();
    const reader = stream && openReader(stream);
    try {
      const body = reader
        ? readPieces(reader, { maxBytes, tooLarge, budget: currentMemoryBudget() })
        : context.readBody();
      return decode(await waitUnless((giveUp) => beginDeadline(() => giveUp(timedOut)), body));
    } catch (thrown) {
      if (reader) cancelLater(reader);
      throw isInterruption(thrown) ? INCOMPLETE : thrown;
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
  // Lengths that differ are refused, as the body cannot have all of them. HTTP/2 lets them pass,
  // and a proxy that forwards by HTTP/1 would choose one.
  const lengths = new Set(declared.split(/, */));
  if (lengths.size > 1) throw INCOMPLETE;
  return undefined;
}

function requireChunked(context: RequestContext): void {
  const coding = context.header("transfer-encoding");
  if (coding !== null && coding.toLowerCase() !== "chunked") throw UNKNOWN_TRANSFER_CODING;
}

/**
 * Requires JSON without a content coding. A request without a Content-Type is taken for JSON,
 * because RFC 9110 §8.3 lets the receiver decide.
 */
function requireJson(context: RequestContext): void {
  const type = context.header("content-type");
  if (type !== null && type !== "application/json") {
    const essence = type.split(";", 1)[0]!.trim().toLowerCase();
    if (essence !== "application/json") throw notJson(essence);
  }
  const encoding = context.header("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") throw HAS_CONTENT_CODING;
}
