/**
 * The form of the keys that are made here: a prefix by which scanners recognize a leaked one, a secret, and a checksum by which a
 * mistyped one is told from a wrong one.
 */

const PREFIX = "petstore_";
/** The base of the secret and of the checksum, whose digits are `0`–`9`, `A`–`Z` and `a`–`z`. */
const BASE = 62;

/** Of the secret, in characters. It has 178 bits. */
const SECRET_LENGTH = 30;

/** Of the checksum, in characters: a CRC-32 in base 62. */
const CHECK_LENGTH = 6;

/** The largest multiple of 62 that a byte can hold. Larger bytes are left out, so that all digits are equally likely. */
const FAIR = 248;

/** Makes a random key, such as `petstore_` and 36 letters and digits. */
export function makeKey(): string {
  let secret = "";
  while (secret.length < SECRET_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(SECRET_LENGTH))) {
      if (byte < FAIR && secret.length < SECRET_LENGTH) secret += digit(byte % BASE);
    }
  }
  return PREFIX + secret + checkOf(secret);
}

/** Whether a text has the prefix of these keys, but not their checksum. */
export function isMistyped(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  return !text.endsWith(checkOf(text.slice(PREFIX.length, -CHECK_LENGTH)));
}

function digit(value: number): string {
  return String.fromCharCode(value + (value < 10 ? 0x30 : value < 36 ? 0x41 - 10 : 0x61 - 36));
}

function checkOf(secret: string): string {
  let rest = crc32(secret);
  let check = "";
  for (let i = 0; i < CHECK_LENGTH; i++) {
    check = digit(rest % BASE) + check;
    rest = Math.floor(rest / BASE);
  }
  return check;
}

/** The CRC-32 of gzip and PNG (RFC 1952 §8). */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i) & 0xff;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
