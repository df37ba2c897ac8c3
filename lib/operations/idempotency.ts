/** The `Idempotency-Key` header, which makes a request safe to retry (draft-ietf-httpapi-idempotency-key-header). */

import type { Problem } from "../http/problem.ts";
import type { Caller, RequestContext } from "../http/context.ts";
import { trimField } from "../http/field_value.ts";
import { parseStringItem } from "../http/structured_field.ts";
import { INVALID_IDEMPOTENCY_KEY, MAX_IDEMPOTENCY_KEY } from "./errors.ts";

/**
 * The key of a request: a string item (RFC 9651) as in the draft, or the same without quotes, as many clients send it.
 * `undefined` if there is no such header.
 */
export function readIdempotencyKey(context: RequestContext): string | Problem | undefined {
  const header = context.header("idempotency-key");
  if (header === null) return undefined;
  const text = trimField(header);
  const key = text.startsWith('"') ? parseStringItem(text) : isBare(text) ? text : undefined;
  return key === undefined || key === "" || key.length > MAX_IDEMPOTENCY_KEY ? INVALID_IDEMPOTENCY_KEY : key;
}

/** Whether a text is visible ASCII without quote, backslash and comma. A comma would mean that two headers were joined. */
function isBare(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x21 || unit > 0x7e || unit === 0x2c || unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
}

/** The key for the store: different for each caller, and a digest, so that it does not reveal the caller. */
export function scopedKey(caller: Caller, key: string): Promise<string> {
  // A key contains no line feed, so two different pairs never give the same text.
  return digest(`${caller.id}\n${key}`);
}

/** 128 bits of the SHA-256 digest of a text, as 22 characters of base64url (RFC 4648 §5). */
export async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)), 0, 16);
  return btoa(String.fromCharCode(...bytes)).slice(0, 22).replaceAll("+", "-").replaceAll("/", "_");
}
