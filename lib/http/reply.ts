import { callSafely } from "../maybe_promise.ts";
import { encodeUtf8 } from "./utf8.ts";

/** By lower-case name. Deno is faster with a record than with pairs. */
export type HeaderFields = Readonly<Record<string, string>>;

/** An app's `Response` brings its own headers and status. */
export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | Response | null;

/** A response as data. Each host converts it. */
export interface Reply {
  status: number;
  headers: HeaderFields;
  body: Body;
  /** Also one of the headers. */
  etag?: string;
  /** When a cached copy becomes stale; absent if it must not be cached. A constant says `alteration`. */
  validUntil?: "alteration" | "addition";
}

/** A reply that is sent again and again, unlike its copies. */
export class KeptReply implements Reply {
  declare readonly status: number;
  declare readonly headers: HeaderFields;
  declare readonly body: Body;
  /** For hosts that send clones. */
  template: Response | undefined;
  /** By the access log. */
  logged: string | undefined;
  #granted: { fields: HeaderFields; reply: KeptReply } | undefined;

  constructor(reply: Reply) {
    Object.assign(this, reply, { template: undefined });
  }

  /** With the fields of CORS, most often those of the last request. */
  granted(fields: HeaderFields, grant: () => Reply): KeptReply {
    if (this.#granted?.fields !== fields) this.#granted = { fields, reply: new KeptReply(grant()) };
    return this.#granted.reply;
  }
}

/** `nosniff` keeps browsers from treating a pet's name as HTML. */
export const JSON_FIELDS: HeaderFields = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** Bun adds a Content-Type to text until the `Response`'s body is looked at. */
export const ON_BUN: boolean = "Bun" in globalThis;

export function isUnread(response: Response): boolean {
  if (response.bodyUsed) return false;
  if (!ON_BUN || response.headers.has("content-type")) return !response.body?.locked;
  try {
    // Throws if it is locked. The copy must not buffer.
    response.clone().body?.cancel().catch(() => {});
    return true;
  } catch {
    return false;
  }
}

/** A reason phrase that every host can send and every `Response` can have: ASCII without control characters (RFC 9112 §4). */
const REASON = /^[\t -~]*$/;

/** A reason phrase, or none if it cannot be sent. Clients ignore it (RFC 9112 §4). */
export function reasonOf(statusText: string): string {
  return REASON.test(statusText) ? statusText : "";
}

/** `undefined` for a stream of unknown length. */
export function bodyBytes({ headers, body }: Reply): number | undefined {
  if (body === null) return 0;
  if (typeof body === "string") return encodeUtf8(body).length;
  if (body instanceof Uint8Array) return body.byteLength;
  if ("headers" in body && !ON_BUN && body.body === null) return 0;
  const length = "headers" in body ? body.headers.get("content-length") : headers["content-length"];
  return length == null ? undefined : Number(length);
}

export function extendReply(reply: Reply, headers: HeaderFields | undefined): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

export function withHeaders({ body, status, statusText }: Response, headers: Headers | [string, string][]): Response {
  return new Response(body, { status, statusText, headers });
}

/** Tells the source of a body that nobody will read it. The members of an app's `Response` may throw. */
export function cancelBody(body: Body): void {
  callSafely(() => {
    // A Response may come from another realm.
    const stream = typeof body === "object" && body !== null && "body" in body ? body.body : body;
    return stream instanceof ReadableStream ? stream.cancel() : undefined;
  });
}

/** RFC 9110 §9.3.2. */
export function withoutBody(reply: Reply): Reply {
  const { status, headers, body } = reply;
  if (typeof body === "string" || body instanceof Uint8Array) {
    return { status, headers: { ...headers, "content-length": String(bodyBytes(reply)) }, body: null };
  }
  if (!(body instanceof Response)) return { ...reply, body: null };
  cancelBody(body);
  return { ...reply, body: new Response(null, body) };
}
