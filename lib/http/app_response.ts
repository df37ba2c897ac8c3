/**
 * Makes a reply of the `Response` that a function of the app returns, whose body is read to its end first. From there on it is data like every
 * other reply: a cache, HEAD or a host need not know that it came from the app, and no stream of the app can fail while a client waits for it.
 */

import { discard } from "../promises.ts";
import { piecesOf } from "./body_stream.ts";
import type { Body, Reply } from "./reply.ts";

/** The longest body that is read, in bytes. One without an end would fill the memory. */
const MAX_BODY_BYTES = 16 * 1_048_576;

/**
 * Fields about the connection to an upstream, whose response the app passes on (RFC 9110 §7.6.1), and about the form in which the body came
 * from there. The host sets its own.
 */
const FRAMING = [
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** A character that a `Response` may have in a header, but that Node refuses to send, and that ends Deno's process. */
const NOT_SENT = /[^\t -~\x80-\xff]/;

/**
 * @param response What the app has returned. It may be anything, and its members may throw. Its class is not asked: Hono on Node replaces the
 * global `Response`, and `fetch` does not use it.
 * @throws {TypeError} If the response cannot be sent.
 */
export async function readResponse(response: Response): Promise<Reply> {
  // The headers are copied before the body is looked at, which takes the type of a form away on Bun.
  const headers = new Headers(response.headers);
  // Each member is read once, because it may have another value at the next reading.
  const { status, url, bodyUsed, body } = response;
  // A lower status is no final response, and `Response.error()` has the status 0.
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new TypeError(`A Response must have a status from 200 to 599, not ${status}`);
  }
  if (bodyUsed) throw new TypeError("The body of the Response has already been read");
  for (const [name, value] of headers) {
    if (NOT_SENT.test(value)) throw new TypeError(`The header ${name} of the Response cannot be sent`);
  }
  for (const name of FRAMING) headers.delete(name);
  // Only a response of `fetch` has a URL. `fetch` has decoded the body, and has left the field that says how it was coded.
  if (url) headers.delete("content-encoding");
  const cookies = headers.getSetCookie();
  headers.delete("set-cookie");
  return { status, headers: Object.fromEntries(headers), cookies, body: await readBody(status, body) };
}

/** The statuses whose responses never have a body. A `Response` cannot be made with even an empty one. */
const BODILESS = [204, 205, 304];

async function readBody(status: number, body: ReadableStream<Uint8Array> | null): Promise<Body> {
  if (!body || BODILESS.includes(status)) {
    discard(body);
    return null;
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of piecesOf(body.getReader())) {
    size += piece.byteLength;
    if (size > MAX_BODY_BYTES) throw new TypeError(`The body of the Response is longer than ${MAX_BODY_BYTES} bytes`);
    if (piece.byteLength > 0) pieces.push(piece);
  }
  const bytes = new Uint8Array(size);
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.byteLength;
  }
  return bytes;
}
