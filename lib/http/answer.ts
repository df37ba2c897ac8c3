/** An answer before it is a `Response`: plain data, to which headers can be added without copying a body. */

/** Header fields by their lower-case names. A record: Deno makes a Response of one faster than of a list of pairs. */
export type HeaderFields = Readonly<Record<string, string>>;

/** What an operation answers with. `body` is JSON text, or `null` for none. */
export interface Answer {
  status: number;
  headers: HeaderFields;
  body: string | null;
  /** The entity tag that is among the headers, where the answer is a representation (RFC 9110 §3.2). */
  etag?: string;
  /** How long the same request would get the same answer; unknown if it is left out. */
  holds?: "always" | "until-addition";
}

/** What every answer with a body carries. No browser is to take the text of a pet's name for a page or a script. */
export const JSON_FIELDS: HeaderFields = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/**
 * The response for an answer. A HEAD request gets the headers alone, `Content-Length` included (RFC 9110 §9.3.2); not
 * every host would strip the body by itself.
 */
export function toResponse({ status, headers, body }: Answer, method: string): Response {
  if (method !== "HEAD" || body === null) return new Response(body, { status, headers });
  const length = String(new TextEncoder().encode(body).byteLength);
  return new Response(null, { status, headers: { ...headers, "content-length": length } });
}

/** A foreign response with further headers. Its body is passed on unread. */
export function extendResponse(response: Response, extra: HeaderFields): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(extra)) headers.append(name, value);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
