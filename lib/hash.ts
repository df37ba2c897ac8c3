/** Mixes 32 bits, one to one, so that each bit of the result depends on each one given, like the end of MurmurHash3. */
export function mix(bits: number): number {
  const half = Math.imul(bits ^ bits >>> 16, 0x85ebca77);
  const most = Math.imul(half ^ half >>> 13, 0xc2b2ae3d);
  return (most ^ most >>> 16) >>> 0;
}

/** The SHA-256 digest of a text. */
export async function sha256(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
