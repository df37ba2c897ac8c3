/** A response as data. The adapter of each host turns it into that host's response. */

import { encodeUtf8 } from "./utf8.ts";

/** Header fields by their lower-case names. Deno creates a Response faster from a record than from a list of pairs. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The body of a response. A `Response` comes from the app: its headers are sent too, and the response has its status. */
export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | Response | null;

/** The response to a request. */
export interface Reply {
  status: number;
  headers: HeaderFields;
  /** Text is sent as UTF-8; `null` means no body. */
  body: Body;
  /** The entity tag of a representation (RFC 9110 §3.2). It is one of the headers too. */
  etag?: string;
  /**
   * When a cached copy becomes stale: after a pet was changed or deleted, or already after one was added. Absent if it must not be
   * cached, for example because it depends on the caller. A constant is never stale; say `alteration`.
   */
  validUntil?: "alteration" | "addition";
}

/** The headers of every JSON body. `nosniff` keeps browsers from treating a pet's name as HTML or a script. */
export const JSON_FIELDS: HeaderFields = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** Bun adds the type of a text when it sends a `Response`, unless its body has been looked at. */
export const ON_BUN: boolean = "Bun" in globalThis;

/** Whether the body of an app's response can still be sent. */
export function isUnread(response: Response): boolean {
  if (response.bodyUsed) return false;
  if (!ON_BUN || response.headers.has("content-type")) return !response.body?.locked;
  try {
    // Throws if it is locked. The copy must not keep what the other one reads.
    response.clone().body?.cancel().catch(() => {});
    return true;
  } catch {
    return false;
  }
}

/** The size of a response's body; `undefined` if it is a stream of unknown length. */
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

/** The response to HEAD: the headers alone, `Content-Length` included (RFC 9110 §9.3.2). */
export function withoutBody(reply: Reply): Reply {
  const { status, headers, body } = reply;
  if (typeof body === "string" || body instanceof Uint8Array) {
    return { status, headers: { ...headers, "content-length": String(bodyBytes(reply)) }, body: null };
  }
  if (!(body instanceof Response)) return { ...reply, body: null };
  // Tells the source that the body will not be read.
  body.body?.cancel().catch(() => {});
  return { ...reply, body: new Response(null, body) };
}
