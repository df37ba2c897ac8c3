/**
 * Makes a reply of the `Response` that a function of the app returns, whose body is read to its end first. From there on it is data like every
 * other reply: a cache, HEAD or a host need not know that it came from the app, and no stream of the app can fail while a client waits for it.
 */

import { callSafely } from "../promises.ts";
import { cancelLater, readPieces } from "./body_stream.ts";
import { IN_WORKERS, ON_DENO } from "./platform.ts";
import type { Body, Reply } from "./reply.ts";

/** The longest body that is read, in bytes. One without an end would fill the memory. */
const MAX_BODY_BYTES = 16 * 1_048_576;
const TOO_LONG = /* @__PURE__ */ new TypeError(`The Response is longer than ${MAX_BODY_BYTES} bytes`);

/**
 * The names of fields that are not sent on: those about the connection to an upstream, whose response the app passes on (RFC 9110 §7.6.1),
 * and those about the form of the body, which the host sets. Cookies are kept apart.
 */
const NOT_SENT_ON =
  /^(connection|content-length|keep-alive|proxy-connection|set-cookie|te|trailer|transfer-encoding|upgrade)$/;

/** A character that a `Response` may have in a header, but that Node refuses to send, and that ends Deno's process. */
const UNSENDABLE = /[^\t -~\x80-\xff]/;

/**
 * @param response What the app has returned. It may be anything, and its members may throw. Its class is not asked: Hono on Node replaces the
 * global `Response`, and `fetch` does not use it.
 * @param request The request to which it is the response. If the client leaves, the body is cancelled.
 * @throws {TypeError} If the response cannot be sent.
 * @throws The reason of the request's signal, if the client has left.
 */
export async function readResponse(response: Response, request: Request): Promise<Reply> {
  // A handler that forgets `return` gives `undefined`, which has no members.
  const given: Response = Object(response);
  try {
    // On Bun, a look at the body removes the Content-Type of a form. So the headers are copied first.
    const headers = new Headers(given.headers);
    // Each member is read once, because it may have another value at the next reading.
    const { status, url, bodyUsed, body } = given;
    // A lower status is no final response, and `Response.error()` has the status 0.
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new TypeError(`The Response must have a status from 200 to 599, not ${status}`);
    }
    if (bodyUsed) throw new TypeError("The Response has already been read");
    const cookies = headers.getSetCookie();
    return {
      status,
      headers: sendableFields(headers, url),
      cookies,
      body: await readBody(status, body, request.signal),
    };
  } catch (thrown) {
    callSafely(() => given.body && cancelLater(given.body));
    throw thrown;
  }
}

/**
 * The fields that are sent on, without cookies.
 *
 * @param url The URL of a response of `fetch`. Others have none.
 * @throws {TypeError} If one cannot be sent.
 */
function sendableFields(headers: Headers, url: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (UNSENDABLE.test(value)) throw new TypeError(`Header ${name} cannot be sent`);
    if (!NOT_SENT_ON.test(name)) fields[name] = value;
  }
  if (url && DECODED.test(fields["content-encoding"] ?? "")) delete fields["content-encoding"];
  return fields;
}

/** The codings that `fetch` removes from a body, although the header still speaks of them. Node also removes several of a list. */
const DECODED = ON_DENO || IN_WORKERS
  ? /^(gzip|br)$/i
  : /^(gzip|x-gzip|br|deflate|zstd)(, *(gzip|x-gzip|br|deflate|zstd))*$/i;

/** The statuses whose responses never have a body. A `Response` cannot be made with even an empty one. */
const BODILESS = [204, 205, 304];

async function readBody(status: number, body: ReadableStream<Uint8Array> | null, signal: AbortSignal): Promise<Body> {
  if (!body) return null;
  if (BODILESS.includes(status)) {
    cancelLater(body);
    return null;
  }
  const reader = body.getReader();
  const cancel = () => cancelLater(reader);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  try {
    const bytes = await readPieces(reader, { maxBytes: MAX_BODY_BYTES, tooLarge: TOO_LONG });
    signal.throwIfAborted();
    return bytes;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
