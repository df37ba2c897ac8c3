/**
 * Makes a reply of the `Response` that a function of the app returns, whose body is read to its end first. From there on it is data like every
 * other reply: a cache, HEAD or a host need not know that it came from the app, and no stream of the app can fail while a client waits for it.
 */

import { callSafely, untilAborted } from "../promises.ts";
import { cancelLater, openReader, readPieces } from "./body_stream.ts";
import { IN_WORKERS, ON_DENO } from "./platform.ts";
import type { Reply } from "./reply.ts";

/** The longest body that is read, in bytes. One without an end would fill the memory. */
const MAX_BODY_BYTES = 16 * 1_048_576;
const TOO_LONG = /* @__PURE__ */ new TypeError(`The Response is longer than ${MAX_BODY_BYTES} bytes`);

/** The statuses whose responses never have a body. A `Response` cannot be made with even an empty one. */
const BODILESS = [204, 205, 304];

/**
 * The names of fields that are not sent on: those about the connection to an upstream, whose response the app passes on (RFC 9110 §7.6.1),
 * and those about the form of the body, which the host sets. Cookies are kept apart.
 */
const NOT_SENT_ON =
  "connection,content-length,keep-alive,proxy-connection,set-cookie,te,trailer,transfer-encoding,upgrade";

/** A character that a `Response` may have in a header, but that Node refuses to send, and that ends Deno's process. */
const UNSENDABLE = /[^\t -~\x80-\xff]/;

/** The codings that `fetch` removes from a body, although the header still speaks of them. Node also removes several of a list. */
const DECODED_BY_FETCH = ON_DENO || IN_WORKERS
  ? /^(gzip|br)$/i
  : /^(gzip|x-gzip|br|deflate|zstd)([ \t]*,[ \t]*(gzip|x-gzip|br|deflate|zstd))*$/i;

/** The first bytes of a body in gzip (RFC 1952 §2.3.1) and in zstd (RFC 8878 §3.1.1). */
const CODED = /^(31,139,8|40,181,47,253)\b/;

/**
 * @param response What the app has returned. It may be anything, and its members may throw. Its class is not asked: Hono on Node replaces the
 * global `Response`, and `fetch` does not use it.
 * @param request The request to which it is the response. If the client leaves, the body is cancelled.
 * @throws {TypeError} If the response cannot be sent.
 * @throws The reason of the request's signal, if the client has left.
 */
export async function readResponse(response: Response, { method, signal }: Request): Promise<Reply> {
  // A handler that forgets `return` gives `undefined`, which has no members.
  const given: Response = Object(response);
  try {
    // On Bun, reading `body` removes the Content-Type of a form. So the headers are copied first.
    const headers = new Headers(given.headers);
    // Each member is read once, because it may have another value at the next reading.
    const { status, url, bodyUsed, body } = given;
    requireFinalStatus(status);
    if (bodyUsed) throw new TypeError("The Response has already been read");
    // Only a response of `fetch` has a URL.
    const isOfFetch = !!url;
    const fields = sendableFields(headers);
    const bytes = await readBody(status, body, isOfFetch, signal);
    const coding = headers.get("content-encoding");
    if (isOfFetch && wasDecoded(coding, bytes)) delete fields["content-encoding"];
    const length = headers.get("content-length");
    // A response to HEAD says the length of that to GET without a body (RFC 9110 §8.6).
    const saysLength = method === "HEAD" && !body && coding === null && status !== 204;
    if (saysLength && length && /^\d{1,15}$/.test(length)) fields["content-length"] = length;
    signal.throwIfAborted();
    return { status, headers: fields, cookies: headers.getSetCookie(), body: bytes };
  } catch (thrown) {
    callSafely(() => given.body && cancelLater(given.body));
    throw thrown;
  }
}

/** A lower status is no final response, and `Response.error()` has the status 0. */
function requireFinalStatus(status: unknown): void {
  const isFinal = Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599;
  if (!isFinal) throw new TypeError(`The Response must have a status from 200 to 599, not ${status}`);
}

async function readBody(
  status: number,
  body: ReadableStream<Uint8Array> | null,
  isOfFetch: boolean,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!body) return null;
  if (BODILESS.includes(status)) {
    cancelLater(body);
    return null;
  }
  const reader = isOfFetch ? body.getReader() : openReader(body);
  try {
    return await untilAborted(signal, readPieces(reader, { maxBytes: MAX_BODY_BYTES, tooLarge: TOO_LONG }));
  } catch (thrown) {
    // A body whose client has left is still being read. One that fails has been cancelled by `readPieces()`.
    if (signal.aborted) cancelLater(reader);
    throw thrown;
  }
}

/**
 * The fields that are sent on, without cookies.
 *
 * @throws {TypeError} If one cannot be sent.
 */
function sendableFields(headers: Headers): Record<string, string> {
  // The field Connection names further ones.
  const dropped = `${NOT_SENT_ON},${headers.get("connection")}`.toLowerCase().split(",").map((name) => name.trim());
  const fields: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (UNSENDABLE.test(value)) throw new TypeError(`Header ${name} cannot be sent`);
    if (!dropped.includes(name)) fields[name] = value;
  }
  return fields;
}

/**
 * Whether `fetch` has removed the coding of a body that the header still names. It may leave one in place, as on Deno for a request with
 * `Range`. Then the body still begins as its coding does.
 */
function wasDecoded(coding: string | null, body: Uint8Array | null): boolean {
  return coding !== null && DECODED_BY_FETCH.test(coding) && !CODED.test(String(body?.subarray(0, 4)));
}
