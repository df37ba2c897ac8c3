/** Reading a request body: never more than the limit, never longer than the time, never wrong UTF-8. */

import type { Pending } from "../pending.ts";
import { BodyStream, MAX_UNDER_WAY, OVERLOADED, type StreamLimits, WHOLE_BODY } from "./body_stream.ts";
import { Deadlines } from "./deadlines.ts";
import { HttpError } from "./errors.ts";
import { trimField } from "./field_value.ts";
import { isDigits } from "../json.ts";
import { Turns } from "./turns.ts";

/** How much of a body is read, and for how long it is waited for. */
export interface BodyLimits {
  /** Bytes. */
  maxBytes: number;
  /** Milliseconds from the first look at the body to its last byte; an eighth more may pass. */
  timeout: number;
}

/**
 * Reads the body of a request as text and resolves to what `use` makes of it; throws, or rejects with, an
 * {@link HttpError} if there is no text to be had. A callback, because a promise of the text would be one more to wait for.
 */
export type BodyReader = <T>(request: Request, use: (text: string) => Pending<T>) => Promise<T>;

const CUT_SHORT = new HttpError("invalid_json", "The request body ended before it was complete");
const NOT_UTF8 = new HttpError("invalid_json", "The request body is not valid UTF-8");

const ACCEPT_POST = { "accept-post": "application/json" };

/** A body of another media type. */
export const NOT_JSON: HttpError = new HttpError(
  "unsupported_media_type",
  "The request body must be application/json",
  ACCEPT_POST,
);

/** A body with a content coding. The headers say what is accepted instead (RFC 9110 §12.5.3). */
export const ENCODED: HttpError = new HttpError(
  "unsupported_media_type",
  "The request body must come without Content-Encoding",
  { ...ACCEPT_POST, "accept-encoding": "identity" },
);

/** A body beyond the limit, in bytes. */
export function bodyTooLarge(maxBytes: number): HttpError {
  return new HttpError("body_too_large", `The request body must be at most ${maxBytes} bytes`);
}

/** A body that was too slow, with the time that it had in milliseconds. */
export function bodyTimedOut(timeoutMs: number): HttpError {
  return new HttpError("request_timeout", `The request body did not arrive within ${timeoutMs} ms`);
}

/** Up to so many bytes, plain ASCII is decoded here: to ask the host's decoder costs a tenth of a whole answer. */
const SHORT_BODY = 512;

/** The text of bytes that are all ASCII, or `undefined`. */
function decodeAscii(bytes: Uint8Array): string | undefined {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) return undefined;
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

/** Makes a reader of JSON bodies. */
export function createBodyReader({ maxBytes, timeout }: BodyLimits): BodyReader {
  const deadlines = new Deadlines(timeout);
  const limits: StreamLimits = { maxBytes, budget: { left: MAX_UNDER_WAY }, turns: new Turns() };
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const tooLarge = bodyTooLarge(maxBytes);
  const timedOut = bodyTimedOut(timeout);

  function decode(bytes: ArrayBuffer | Uint8Array | undefined): string {
    if (bytes === undefined || bytes.byteLength > maxBytes) throw tooLarge;
    const plain = bytes.byteLength <= SHORT_BODY
      ? decodeAscii(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes))
      : undefined;
    if (plain !== undefined) return plain;
    try {
      // A byte-order mark is dropped, as RFC 8259 §8.1 permits.
      return decoder.decode(bytes);
    } catch {
      throw NOT_UTF8;
    }
  }

  return (request, use) => {
    const { headers } = request;
    requireJson(headers);
    // A body that the app has read before is the app's mistake, not the client's.
    if (request.bodyUsed) throw new TypeError("The request body has been read before it was given to the petstore");
    const declared = headers.get("content-length");
    const isFramed = declared !== null && isDigits(declared);
    if (isFramed && +declared > maxBytes) throw tooLarge;
    return new Promise((resolve, reject) => {
      const source = isFramed && +declared <= WHOLE_BODY ? request : new BodyStream(request, limits);
      let isLate = false;
      const deadline = deadlines.begin(() => {
        isLate = true;
        reject(timedOut);
        if (source instanceof BodyStream) source.cancel();
      });
      source.arrayBuffer().then((bytes) => {
        // The client has been told already that it came to nothing.
        if (isLate) return;
        deadlines.end(deadline);
        try {
          resolve(use(decode(bytes)));
        } catch (thrown) {
          reject(thrown);
        }
      }, (thrown) => {
        deadlines.end(deadline);
        reject(thrown === OVERLOADED ? OVERLOADED : CUT_SHORT);
      });
    });
  };
}

/** `application/json` in any case, with or without parameters, in clear; or no Content-Type at all. */
function requireJson(headers: Headers): void {
  const type = headers.get("content-type");
  if (type !== null && type !== "application/json") {
    const essence = trimField(type.split(";", 1)[0] ?? "").toLowerCase();
    if (essence !== "application/json") throw NOT_JSON;
  }
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw ENCODED;
  }
}
