/**
 * A hash of a text, as a signed number of 32 bits. Its cost depends only on the length. With a
 * random seed, a client cannot choose texts with the same hash. A caller to whom that does not
 * matter passes 0.
 */
export function hashText(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

/** The SHA-256 digest of a text. */
export async function sha256(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
