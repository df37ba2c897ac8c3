/**
 * A reply is what an operation returns: a status, header fields and a body, as data. Hosts make a
 * response of it at the very end, so that caches, HEAD and conditional requests change data and no
 * stream.
 */

import { utf8Length } from "./utf8.ts";

/**
 * Header fields by their lower-case names. They are a record, because Deno makes a response faster
 * from one than from pairs.
 */
export type HeaderFields = Readonly<Record<string, string>>;

/**
 * The body of a reply that the client gets in part at most, because `withFaults()` breaks it off.
 * Node closes the connection. Other hosts cannot, and begin a body that fails.
 */
export const BROKEN_OFF: unique symbol = Symbol("broken off");

/** The field that names the fault on purpose of a response. */
export const FAULT_FIELD = "petstore-fault";

/** The body of a reply. It is all there, so whatever sends it needs no stream. */
export type Body = string | Uint8Array<ArrayBuffer> | typeof BROKEN_OFF | null;

/**
 * Which change of the store makes a kept reply stale:
 *
 * | value        | replies that have it             | a pet is added | a pet is altered or removed |
 * | ------------ | -------------------------------- | -------------- | --------------------------- |
 * | `alteration` | a pet, a full page               | still right    | stale                       |
 * | `addition`   | the last page, the 404 for an id | stale          | stale                       |
 *
 * A body that never changes has `alteration`, because that is the rarer kind.
 */
export type Invalidation = "alteration" | "addition";

/** A response as data. Each host converts it. */
export interface Reply {
  status: number;
  headers: HeaderFields;
  body: Body;
  /** The entity tag, which is also one of the headers. It is here so that conditional requests need not look it up. */
  etag?: string | undefined;
  /** The error code of a failure, which is also in the body. Logs and metrics name it. */
  code?: string | undefined;
  /**
   * The values of several `Set-Cookie` fields, which cannot be joined by commas as those of other
   * fields can. Only an app sets cookies.
   */
  cookies?: readonly string[];
  /** What makes a kept copy stale; see {@link Invalidation}. It is absent if the reply must not be kept. */
  invalidatedBy?: Invalidation | undefined;
}

/**
 * A reply that the cache keeps and sends again and again. The `Response` that a host makes of it is
 * kept with it. It has no cookies, because only an app sets them, and an app's replies are not
 * kept.
 */
export class KeptReply implements Reply {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: Body;
  readonly etag: string | undefined;
  readonly code: string | undefined;
  readonly invalidatedBy: Invalidation | undefined;
  /**
   * The first `Response` of this reply. On Deno and Bun later requests get a clone of it, which
   * costs a tenth of a new one.
   */
  template: Response | undefined;
  /** What was made of this reply for the origin of the last request. */
  #variant: { origin: string | undefined; reply: KeptReply } | undefined;

  constructor({ status, headers, body, etag, code, invalidatedBy }: Reply) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.etag = etag;
    this.code = code;
    this.invalidatedBy = invalidatedBy;
  }

  /**
   * The variant of this reply with the fields of CORS. The last one is kept, because most requests
   * come from pages of one origin.
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

/** The length of a body in bytes. It is undefined for one that is broken off. */
export function bodyBytes({ body }: Reply): number | undefined {
  if (body === null) return 0;
  if (typeof body === "string") return utf8Length(body);
  return body === BROKEN_OFF ? undefined : body.byteLength;
}

export function extendReply(reply: Reply, headers: HeaderFields | undefined): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/**
 * The reply to HEAD: that to GET with all its header fields, among them the length of the body, and
 * no body (RFC 9110 §9.3.2).
 */
export function withoutBody(reply: Reply): Reply {
  const { headers, body } = reply;
  if (body === null || body === BROKEN_OFF) return reply;
  return { ...reply, headers: { ...headers, "content-length": String(bodyBytes(reply)) }, body: null };
}
