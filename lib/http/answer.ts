/** An answer before it is a `Response`: plain data, to which headers can be added without copying a body. */

/** A response header: lower-case name and value. */
export type Header = [name: string, value: string];

/** What an operation answers with. `body` is JSON text, or `null` for none. */
export interface Answer {
  status: number;
  headers: readonly Header[];
  body: string | null;
  /** The entity tag that is among the headers, where the answer is a representation (RFC 9110 §3.2). */
  etag?: string;
  /** How long the same request would get the same answer; unknown if it is left out. */
  holds?: "always" | "until-addition";
}

/** The media type of every body. */
export const JSON_TYPE: Header = ["content-type", "application/json"];

/**
 * The response for an answer. A HEAD request gets the headers alone, `Content-Length` included (RFC 9110 §9.3.2); not
 * every host would strip the body by itself.
 */
export function toResponse({ status, headers, body }: Answer, method: string): Response {
  const init = { status, headers: headers as Header[] };
  if (method !== "HEAD" || body === null) return new Response(body, init);
  const length = String(new TextEncoder().encode(body).byteLength);
  return new Response(null, { status, headers: [...headers, ["content-length", length]] });
}

/** A foreign response with further headers. Its body is passed on unread. */
export function extendResponse(response: Response, extra: readonly Header[]): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of extra) headers.append(name, value);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
