/** The digest of a key, by which stores keep it, and the names that are made of the digest. */

import { sha256 } from "../http/hash.ts";

/** The SHA-256 digest of a key, as 64 lower-case hexadecimal digits. */
export async function digestOf(key: string): Promise<string> {
  return Array.from(await sha256(key), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The id of a key that a key manager has made. Commands and logs name the key by it, and people
 * type it, so it is short.
 */
export function idOf(digest: string): string {
  return `key-${digest.slice(0, 12)}`;
}

/**
 * The id of a caller that was given none. It has half the digest: two callers must never share an
 * id, and a long one does no harm, because no person types it. Logs may show it, because half a
 * digest cannot be used as a key.
 */
export function defaultCallerId(digest: string): string {
  return `key-${digest.slice(0, 32)}`;
}
