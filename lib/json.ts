/**
 * Reads exact int64 numbers from JSON. `JSON.parse` rounds integers beyond 2^53. Its reviver could see the source text, but
 * it would run for every value. So `JSON.parse` runs without it, and only the number that must be exact is read again.
 */

const QUOTE = 0x22, BACKSLASH = 0x5c, COLON = 0x3a, OPEN_BRACE = 0x7b, OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d, CLOSE_BRACKET = 0x5d, ZERO = 0x30, NINE = 0x39;

/** The range of an int64, for messages. */
export const INT64_RANGE: string = `from ${-(2n ** 63n)} to ${2n ** 63n - 1n}`;
/** An int64 has at most 19 digits, and a double holds any 15 digits exactly. */
const INT64_DIGITS = 19, SAFE_DIGITS = 15;

/** Shortens a text for a message, so that a long request does not cause a long response. */
export function excerpt(text: string, length = 64): string {
  return text.length <= length ? text : text.slice(0, length).toWellFormed() + "…";
}

/** Whether a UTF-16 code unit is an ASCII digit. */
export function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

/** Whether `text` consists of one or more ASCII digits. */
export function isDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return text !== "";
}

/** Whether an integer is from −2^63 to 2^63 − 1. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/**
 * Whether every number of a JSON text is written without a fraction or an exponent. A safe integer that `JSON.parse` reads
 * from it is then exact. `false` may also be due to a string that looks like such a number.
 */
export function hasPlainNumbers(text: string): boolean {
  return !text.includes(".") && !/\d[eE]/.test(text);
}

/**
 * The source text of the number in the member `name` of a JSON object. As in `JSON.parse`, the last of several members wins.
 *
 * @param text A JSON object that `JSON.parse` has accepted and that has a number in this member.
 */
export function numberSource(text: string, name: string): string {
  let source = "", depth = 0, i = 0;
  while (i < text.length) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      const end = stringEnd(text, i);
      const colon = skipSpace(text, end);
      if (depth === 1 && text.charCodeAt(colon) === COLON && isMemberName(text.slice(i, end), name)) {
        const start = skipSpace(text, colon + 1);
        i = numberEnd(text, start);
        if (i > start) source = text.slice(start, i);
      } else {
        i = end;
      }
      continue;
    }
    if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++;
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) depth--;
    i++;
  }
  return source;
}

/** Whether a JSON string, given with its quotes, spells `name`. Only a string with escapes is parsed. */
function isMemberName(source: string, name: string): boolean {
  if (source.length === name.length + 2) return source.startsWith(name, 1);
  return source.includes("\\") && JSON.parse(source) === name;
}

/** The index after the closing quote of the string that opens at `open`. */
function stringEnd(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  for (;;) {
    let first = close;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((close - first) % 2 === 0) return close + 1;
    close = text.indexOf('"', close + 1);
  }
}

function skipSpace(text: string, i: number): number {
  // In valid JSON, only white space can be at or below U+0020 here.
  while (text.charCodeAt(i) <= 0x20) i++;
  return i;
}

function numberEnd(text: string, i: number): number {
  while ("+-.Ee".includes(text.charAt(i)) || isDigit(text.charCodeAt(i))) i++;
  return i;
}

/** A number in the syntax of RFC 8259 §6: sign, digits, fraction and exponent. */
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether `text` is a number in the syntax of RFC 8259 §6. */
export function isJsonNumber(text: string): boolean {
  return NUMBER.test(text);
}

/**
 * The exact value of a JSON number such as `7`, `7.0`, `70e-1` or `1e3`; `undefined` if it is not whole or not an int64.
 *
 * @param source A number in the syntax of RFC 8259 §6.
 */
export function parseInt64(source: string): bigint | undefined {
  if (source.length <= SAFE_DIGITS && isDigits(source)) return BigInt(+source);
  const [, sign, digits = "", fraction = "", exponent = 0] = NUMBER.exec(source) ?? [];
  const magnitude = parseScaled(digits + fraction, fraction.length - +exponent);
  if (magnitude === undefined) return undefined;
  const value = sign === "-" ? -magnitude : magnitude;
  return isInt64(value) ? value : undefined;
}

/** `digits` × 10^−`scale`, if that is whole and has at most 19 digits. The cost does not depend on the scale. */
function parseScaled(digits: string, scale: number): bigint | undefined {
  let start = 0, end = digits.length;
  while (start < end && digits.charCodeAt(start) === ZERO) start++;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end--;
  if (start === end) return 0n;
  const zeros = digits.length - end - scale;
  if (zeros < 0 || end - start + zeros > INT64_DIGITS) return undefined;
  return BigInt(digits.slice(start, end)) * 10n ** BigInt(zeros);
}
