/** Entity tags (RFC 9110 §8.8.3). */

/** Reused, because a new buffer for each text would cost more than the hash. */
const SCRATCH = new Uint8Array(262_144);
const ENCODER = new TextEncoder();

// The multipliers of xxHash, whose rounds these are.
const PRIME_1 = 0x9e3779b1, PRIME_2 = 0x85ebca77, PRIME_3 = 0xc2b2ae3d, PRIME_4 = 0x27d4eb2f;

/**
 * A strong entity tag of a text: its length, the variant, and 64 bits of a hash. Every server and every runtime makes the
 * same tag, so a client may move between servers.
 *
 * The hash protects against chance, not against a computed collision; a secret seed would make tags differ between
 * servers. Length and variant make up for that: a list at one URL only grows, a last page that gets a successor changes
 * its variant, and a pet at one URL stays as it is. So no added pet can keep an old tag valid. If another
 * program changes the data, the hash alone decides.
 *
 * @param variant Tells representations apart that have the same text and differ in their headers.
 */
export function strongETag(text: string, variant = 0): string {
  const [low, high] = hashWords(toWords(text));
  const hash = `${finalMix(low ^ text.length).toString(36)}-${finalMix(high ^ low).toString(36)}`;
  return `"${text.length}-${variant}-${hash}"`;
}

/** The text's UTF-8 bytes as words, padded with zeros to a multiple of four words. */
function toWords(text: string): Uint32Array {
  let bytes = SCRATCH;
  let { read, written } = ENCODER.encodeInto(text, bytes);
  if (read < text.length || written > bytes.length - 16) {
    const all = ENCODER.encode(text);
    bytes = new Uint8Array(all.length + 32 & ~15);
    bytes.set(all);
    written = all.length;
  }
  bytes.fill(0, written, written + 16);
  return new Uint32Array(bytes.buffer, 0, ((written + 15) >>> 4) << 2);
}

/** Four lanes that do not depend on each other. */
function hashWords(words: Uint32Array): [low: number, high: number] {
  let a = PRIME_1, b = PRIME_2, c = PRIME_3, d = PRIME_4;
  for (let i = 0; i < words.length; i += 4) {
    a = round(a, words[i]!);
    b = round(b, words[i + 1]!);
    c = round(c, words[i + 2]!);
    d = round(d, words[i + 3]!);
  }
  return [round(round(round(a, b), c), d), round(round(round(d, c), b), a)];
}

function round(lane: number, word: number): number {
  const sum = lane + Math.imul(word, PRIME_2) | 0;
  return Math.imul(sum << 13 | sum >>> 19, PRIME_1);
}

/** Spreads every bit over the whole word, as MurmurHash3 ends. */
function finalMix(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), PRIME_2);
  const whole = Math.imul(half ^ (half >>> 13), PRIME_3);
  return (whole ^ (whole >>> 16)) >>> 0;
}
