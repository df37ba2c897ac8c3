const ENCODER = new TextEncoder();

/** Each call writes into this buffer, because a new buffer for each text is slow. */
let scratch = new Uint8Array(65_536);

/** The memory of `scratch`, seen as 32-bit words. */
let words = new Uint32Array(scratch.buffer);

/** The length of a text in UTF-8, in bytes. */
export function utf8Length(text: string): number {
  return encode(text);
}

/**
 * Calls `use` with the UTF-8 bytes of a text as words of 32 bits, followed by zeros up to an even
 * number of words. The words are valid during the call alone, because the next text takes their
 * place.
 *
 * @param use Gets the words, and how many of them belong to the text.
 */
export function withUtf8Words<T>(text: string, use: (words: Uint32Array, count: number) => T): T {
  const length = encode(text);
  for (let i = length; i < length + 8; i++) scratch[i] = 0;
  return use(words, ((length + 7) >>> 3) << 1);
}

/**
 * Writes a text into the buffer, which grows if it is too short, and returns the number of bytes.
 * At least 8 bytes follow them.
 */
function encode(text: string): number {
  // A UTF-16 code unit takes at most three bytes.
  const size = 3 * text.length + 8;
  if (scratch.length < size) {
    scratch = new Uint8Array((size + 3) & ~3);
    words = new Uint32Array(scratch.buffer);
  }
  return ENCODER.encodeInto(text, scratch).written;
}
