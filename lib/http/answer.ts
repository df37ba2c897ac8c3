/** An answer as data: a host's adapter turns it into its own kind of response. */

/** Header fields by their lower-case names. A record: Deno makes a Response of one faster than of a list of pairs. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The kinds of body. A `Response` comes from an app: the answer has its status, and its headers are sent too. */
export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | Response | null;

/** The answer to a request. */
export interface Answer {
  status: number;
  headers: HeaderFields;
  /** Text is sent as UTF-8. `null` for no body. */
  body: Body;
  /** The entity tag, which is among the headers too, if the answer is a representation (RFC 9110 §3.2). */
  etag?: string;
  /** For how long the same request would get the same answer; unknown if it is left out. */
  holds?: "always" | "until-addition";
}

/** Carried by every answer with a JSON body. `nosniff`: no browser may take a pet's name for HTML or a script. */
export const JSON_FIELDS: HeaderFields = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** An answer with further headers. */
export function extendAnswer(answer: Answer, headers: HeaderFields): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** The answer to HEAD: the headers alone, `Content-Length` included (RFC 9110 §9.3.2). */
export function withoutBody(answer: Answer): Answer {
  const { status, headers, body } = answer;
  if (typeof body === "string" || body instanceof Uint8Array) {
    const length = typeof body === "string" ? new TextEncoder().encode(body).byteLength : body.byteLength;
    return { status, headers: { ...headers, "content-length": String(length) }, body: null };
  }
  if (!(body instanceof Response)) return { ...answer, body: null };
  // The source of the body must learn that it will not be read.
  body.body?.cancel().catch(() => {});
  return { ...answer, body: new Response(null, body) };
}
