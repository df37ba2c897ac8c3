const ENCODER = new TextEncoder();

/** Reused, because a new buffer for each text is slow. */
let scratch = new Uint8Array(65_536);

/** Valid until the next call. At least 16 bytes follow in the buffer. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  // A UTF-16 code unit takes at most three bytes.
  const size = 3 * text.length + 16;
  if (scratch.length < size) scratch = new Uint8Array(size);
  return scratch.subarray(0, ENCODER.encodeInto(text, scratch).written);
}
