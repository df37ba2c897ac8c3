/**
 * The text of a key: what can be one, and the keys that this library makes. These have a prefix, 30
 * random characters, and a checksum of six.
 */

/** The longest key that is looked at, in characters. It is longer than any sensible key, and still cheap to check. */
export const MAX_KEY_LENGTH = 4096;

/**
 * Whether a text can be a key: printable ASCII without the space and without the comma, which is
 * `\x2c`. Issuers use more characters than RFC 6750 allows, but a comma would mean that two headers
 * were joined.
 */
export function isKeyText(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && /^[\x21-\x2b\x2d-\x7e]+$/.test(text);
}

const PREFIX = "petstore_";

/** The characters of a key, in the order of their values as digits of the checksum. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** How many characters of a key are random: 30 of 62 kinds, which are 178 bits. */
const SECRET_LENGTH = 30;

const CHECK_LENGTH = 6;

/**
 * Random bytes from this value on are thrown away. It is a multiple of 62, so that all characters
 * are equally likely.
 */
const FIRST_UNFAIR_BYTE = 248;

/**
 * Makes a key. Its prefix lets scanners of repositories recognize it, and its checksum shows that a
 * key was mistyped.
 */
export function makeKey(): string {
  let secret = "";
  while (secret.length < SECRET_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(SECRET_LENGTH))) {
      if (byte < FIRST_UNFAIR_BYTE && secret.length < SECRET_LENGTH) secret += DIGITS[byte % DIGITS.length];
    }
  }
  return PREFIX + secret + checkOf(secret);
}

/** Whether a text has the prefix of a key and a wrong checksum. */
export function isMistyped(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  return !text.endsWith(checkOf(text.slice(PREFIX.length, -CHECK_LENGTH)));
}

function checkOf(secret: string): string {
  let rest = crc32(secret);
  let check = "";
  for (let i = 0; i < CHECK_LENGTH; i++) {
    check = DIGITS[rest % DIGITS.length] + check;
    rest = Math.floor(rest / DIGITS.length);
  }
  return check;
}

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i) & 0xff;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
