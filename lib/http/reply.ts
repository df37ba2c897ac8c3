/**
 * A reply is what an operation returns: a status, header fields and a body, as data. Hosts make a response of it at the very end, so that
 * caches, HEAD and conditional requests change data and no stream.
 */

import { callSafely, discard } from "../promises.ts";
import { IN_WORKERS, ON_BUN, ON_DENO } from "./platform.ts";
import { utf8Length } from "./utf8.ts";

/**
 * Header fields by their lower-case names. They are a record, because Deno makes a response faster from one than from
 * pairs.
 */
export type HeaderFields = Readonly<Record<string, string>>;

/** The body of a reply. One that is a `Response` of the app brings its own headers. */
export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | Response | null;

/**
 * The changes of the store that make a kept reply stale. It is `alteration` if only a change or a removal of a pet does, as for a pet
 * itself or a page that is full, and `addition` if a new pet does too, as for the last page or a pet that does not exist. A body that
 * never changes says `alteration`, the rarer kind.
 */
export type Invalidation = "alteration" | "addition";

/** A response as data. Each host converts it. */
export interface Reply {
  status: number;
  headers: HeaderFields;
  body: Body;
  /** The entity tag, which is also one of the headers. It is here so that conditional requests need not look it up. */
  etag?: string;
  /** The error code of a failure, which is also in the body. Logs and metrics name it. */
  code?: string;
  /** What makes a kept copy stale; see {@link Invalidation}. It is absent if the reply must not be kept. */
  invalidatedBy?: Invalidation;
}

/**
 * A reply that the cache keeps and sends again and again. What a host or the access log makes of it, such as a `Response`, is kept with it.
 * A copy by `{ ...reply }` is a plain reply and may have other headers, so a host makes a new `Response` of it.
 */
export class KeptReply implements Reply {
  declare readonly status: number;
  declare readonly headers: HeaderFields;
  declare readonly body: Body;
  declare readonly invalidatedBy?: Invalidation;
  /** The first `Response` of this reply. On Deno and Bun later requests get a clone of it, which costs a tenth of a new one. */
  template: Response | undefined;
  /** The part of a line of the access log that is the same for each request. The access log sets it. */
  logged: string | undefined;
  /** What was made of this reply for the origin of the last request. */
  #variant: { origin: string | undefined; reply: KeptReply } | undefined;

  constructor(reply: Reply) {
    // The reply may be a copy of a kept one with other headers. The `Response` of the original is dropped then. Its line of the log is kept,
    // because that does not show headers.
    Object.assign(this, reply, { template: undefined });
  }

  /**
   * The variant of this reply with the fields of CORS. The last one is kept, because most requests come from pages of one origin.
   *
   * @param origin The origin that the variant permits, if it permits one.
   */
  variantFor(origin: string | undefined, makeVariant: () => Reply): KeptReply {
    if (!this.#variant || this.#variant.origin !== origin) {
      this.#variant = { origin, reply: new KeptReply(makeVariant()) };
    }
    return this.#variant.reply;
  }
}

/** `nosniff` keeps browsers from treating a pet's name as HTML. */
export const JSON_FIELDS: HeaderFields = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** Whether an app may answer with a status. A lower one is no final response, and `Response.error()` has the status 0. */
export function isSendableStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}

/** A reason phrase that every host can send and every `Response` can have: ASCII without control characters (RFC 9112 §4). */
const REASON = /^[\t -~]*$/;

/** A reason phrase, or none if it cannot be sent. Clients ignore it (RFC 9112 §4). */
export function reasonOf(statusText: string): string {
  return REASON.test(statusText) ? statusText : "";
}

/** A character that a `Response` may have in a header, but that Node refuses to send, and that ends Deno's process. */
const NOT_SENT = /[^\t -~\x80-\xff]/;

/** @throws {TypeError} If a host could not send one of the headers. */
export function requireSendableHeaders(headers: Headers): void {
  for (const [name, value] of headers) {
    if (NOT_SENT.test(value)) throw new TypeError(`Header ${name} cannot be sent`);
  }
}

/** Whether a body is a `Response`. `instanceof` would not recognize one of another realm, or of a polyfill. */
export function isResponse(body: Body): body is Response {
  return body !== null && typeof body === "object" && "headers" in body;
}

/** The length of a body in bytes, or `undefined` for a stream of unknown length. */
export function bodyBytes({ headers, body }: Reply): number | undefined {
  if (body === null) return 0;
  if (typeof body === "string") return utf8Length(body);
  if (body instanceof Uint8Array) return body.byteLength;
  // On Bun, a `Response` with a text gets its Content-Type only if `body` has not been looked at.
  if (isResponse(body) && !ON_BUN && body.body === null) return 0;
  const length = isResponse(body) ? body.headers.get("content-length") : headers["content-length"];
  return length == null ? undefined : Number(length);
}

export function extendReply(reply: Reply, headers: HeaderFields | undefined): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** A response with the body and the status of another one. */
export function copyWithHeaders(
  { body, status, statusText }: Response,
  headers: Headers | [string, string][],
): Response {
  return new Response(body, { status, statusText, headers });
}

/** The type of a body made of a `FormData`, unless the app has given it another one. */
const FORM = /^multipart\/form-data\b/i;

/** By when a form in memory is surely written into its stream, in milliseconds. */
const FORM_WRITE_MS = 1000;

/**
 * Tells the source of a body that the rest will not be read. On Node 24 and 26, the body of a `FormData` is written into its stream in the
 * background, whether or not it is read, and a write after the cancellation ends the process. So a form is left alone there. A body of
 * another type may be a form too, and is cancelled when that form, if it is in memory, has been written.
 *
 * @param response The response of the app that has the body. The stream of an upstream, whose response has a URL, is told at once.
 */
export function cancelSource(source: ReadableStream | ReadableStreamDefaultReader, response?: Response): void {
  if (ON_DENO || ON_BUN || IN_WORKERS || response?.url) return discard(source);
  const type = response?.headers.get("content-type") ?? "";
  if (!FORM.test(type)) setTimeout(discard, FORM_WRITE_MS, source);
}

/** Cancels a body that will not be read. The members of an app's `Response` may throw. */
export function cancelBody(body: Body): void {
  callSafely(() => {
    const response = isResponse(body) ? body : undefined;
    const stream = response ? response.body : body;
    if (stream instanceof ReadableStream) cancelSource(stream, response);
  });
}

/**
 * The reply to HEAD: that to GET with all its header fields, among them the length of the body, and no body (RFC 9110
 * §9.3.2).
 */
export function withoutBody(reply: Reply): Reply {
  const { headers, body } = reply;
  if (typeof body === "string" || body instanceof Uint8Array) {
    return { ...reply, headers: { ...headers, "content-length": String(bodyBytes(reply)) }, body: null };
  }
  if (!(body instanceof Response)) return { ...reply, body: null };
  cancelBody(body);
  return { ...reply, body: new Response(null, body) };
}
