/** Entity tags and `If-None-Match` (RFC 9110 §8.8.3 and §13.1.2). */

import { type Answer, type Header, JSON_TYPE } from "./answer.ts";

/**
 * A strong entity tag of a text: the same on every server and every runtime, so that a client may be sent to another
 * one. Two 32-bit lanes make it 64 bits: enough against chance, not against somebody who may create pets and computes
 * collisions; all that one would gain is that their own page looks unchanged.
 *
 * @param salt What else the representation says, in its headers.
 */
export function strongETag(text: string, salt = 0): string {
  let low = 0x811c9dc5 ^ salt, high = 0x41c6ce57 ^ text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x9e3779b1);
    high = Math.imul(high ^ unit, 0x5f356495) ^ (low >>> 15);
  }
  // Carries the last characters into every bit (the finish of MurmurHash3).
  low = Math.imul(low ^ (high >>> 16), 0x85ebca6b);
  high = Math.imul(high ^ (low >>> 13), 0xc2b2ae35);
  return `"${(low >>> 0).toString(36)}-${(high >>> 0).toString(36)}"`;
}

/** Whether an `If-None-Match` header names this tag, by weak comparison, or is `*`. */
export function noneMatchFails(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag || header.trim() === "*") return true;
  // An opaque tag has no quote inside, so a tag of ours in the list is there with both of its quotes.
  const at = header.indexOf(etag);
  return at >= 0 && isTagStart(header, at);
}

function isTagStart(header: string, at: number): boolean {
  const before = header.slice(0, at).trimEnd();
  return before === "" || before.endsWith(",") || before.endsWith("W/");
}

/**
 * The answer to a GET of JSON text: 200 with an entity tag, or 304 if the client has that text already.
 *
 * @param headers Further headers of the representation.
 * @param salt What they say beyond the text, for {@link strongETag}.
 */
export function conditionalAnswer(request: Request, body: string, headers: readonly Header[] = [], salt = 0): Answer {
  const etag = strongETag(body, salt);
  return noneMatchFails(request.headers.get("if-none-match"), etag)
    // With the headers that bear on the stored response (RFC 9110 §15.4.5): Content-Type does not, Link may be new.
    ? { status: 304, headers: [["etag", etag], ...headers], body: null }
    : { status: 200, headers: [JSON_TYPE, ["etag", etag], ...headers], body };
}
