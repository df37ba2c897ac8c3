const ENCODER = new TextEncoder();

/** Each call writes into this buffer, because a new buffer for each text is slow. */
let scratch = new Uint8Array(65_536);

/** The memory of `scratch`, seen as 32-bit words. */
let words = new Uint32Array(scratch.buffer);

/** The UTF-8 bytes of a text. They are valid until the next call. At least 16 bytes follow them in their buffer. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return scratch.subarray(0, encode(text));
}

export interface Words {
  words: Uint32Array;
  /** How many of the words are of the text. Those after them are of earlier texts. */
  count: number;
}

/** The UTF-8 bytes of a text as words, with zeros up to a multiple of four words. They are valid until the next call. */
export function encodeWords(text: string): Words {
  const length = encode(text);
  for (let i = length; i < length + 16; i++) scratch[i] = 0;
  return { words, count: ((length + 15) >>> 4) << 2 };
}

/** Writes a text into the buffer, which grows if it is too short, and returns the number of bytes. */
function encode(text: string): number {
  // A UTF-16 code unit takes at most three bytes.
  const size = 3 * text.length + 16;
  if (scratch.length < size) {
    scratch = new Uint8Array((size + 3) & ~3);
    words = new Uint32Array(scratch.buffer);
  }
  return ENCODER.encodeInto(text, scratch).written;
}
