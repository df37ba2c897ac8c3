/**
 * Reads exact int64 numbers from JSON. `JSON.parse` rounds integers beyond 2^53. If
 * `hasPlainNumbers()` and the parsed number is a safe integer, it is exact. Otherwise
 * `numberSource()` finds its text, and `parseInt64()` reads that.
 */

/** The range of an int64 in words, for messages. */
export const INT64_RANGE: string = `from ${-(2n ** 63n)} to ${2n ** 63n - 1n}`;

/** The most digits that an int64 has. */
const INT64_DIGITS = 19;

/** A number in the syntax of RFC 8259 §6: sign, digits, fraction and exponent. */
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** White space, and then the characters of a number. No other value begins with one of these. */
const NUMBER_AFTER_SPACE = /[ \t\n\r]*([-+.\deE]*)/y;

/** Whether an integer is from −2^63 to 2^63 − 1. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/**
 * The exact value of a JSON number such as `7`, `7.0`, `70e-1` or `1e3`; `undefined` if it is no
 * such number, not whole or not an int64.
 */
export function parseInt64(source: string): bigint | undefined {
  const [number, sign, digits = "", fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  if (number === undefined) return undefined;
  const magnitude = parseDecimal(digits + fraction, fraction.length - Number(exponent));
  if (magnitude === undefined) return undefined;
  const value = sign === "-" ? -magnitude : magnitude;
  return isInt64(value) ? value : undefined;
}

/**
 * The value of `digits` with so many of them after the decimal point, if that is whole and has at
 * most 19 digits. The cost does not depend on their number.
 *
 * - `70e-1` is `70` with one digit after the point: `7` and one zero, which the point cuts off.
 * - `7e2` is `7` with −2 digits after the point: `7`, and two zeros are missing.
 */
function parseDecimal(digits: string, digitsAfterPoint: number): bigint | undefined {
  let start = 0;
  let end = digits.length;
  while (digits[start] === "0") start++;
  while (end > start && digits[end - 1] === "0") end--;
  const significant = digits.slice(start, end);
  if (significant === "") return 0n;
  // The zeros of the value. If the point stands before the last significant digit, the value is not whole.
  const zeros = digits.length - end - digitsAfterPoint;
  if (zeros < 0 || significant.length + zeros > INT64_DIGITS) return undefined;
  return BigInt(significant) * 10n ** BigInt(zeros);
}

/**
 * Whether every number of a JSON text is written without a fraction or an exponent. A safe integer
 * that `JSON.parse` reads from it is then exact. `false` may also be due to a string that looks
 * like such a number.
 */
export function hasPlainNumbers(text: string): boolean {
  return !/\d[.eE]/.test(text);
}

/**
 * The source text of the number in the member `name` of a JSON object; `""` if the member is absent
 * or no number. As in `JSON.parse`, the last of several members wins.
 *
 * Each character is looked at once, and nothing is made of nested values: a reviver of `JSON.parse`
 * would be called for each value of a long array, which takes a hundred times as long as to parse
 * it.
 *
 * @param text An object that `JSON.parse` has accepted.
 */
export function numberSource(text: string, name: string): string {
  let source = "";
  /**
   * How many objects and arrays are open. At depth 1 of a valid object, a colon follows the name of
   * a member and nothing else.
   */
  let depth = 0;
  /** The last string at depth 1, with its quotes. */
  let lastString = "";
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = closingQuote(text, at);
        if (depth === 1) lastString = text.slice(at, end + 1);
        at = end;
        break;
      }
      case "{":
      case "[":
        depth++;
        break;
      case "}":
      case "]":
        depth--;
        break;
      case ":":
        if (depth === 1 && withoutQuotes(lastString) === name) source = numberAt(text, at + 1);
    }
  }
  return source;
}

/** The text of the number after this place and white space, or `""` if another value stands there. */
function numberAt(text: string, start: number): string {
  NUMBER_AFTER_SPACE.lastIndex = start;
  return NUMBER_AFTER_SPACE.exec(text)?.[1] ?? "";
}

/** The value of a JSON string. Few have an escape sequence, and only these need the parser. */
function withoutQuotes(string: string): unknown {
  return string.includes("\\") ? JSON.parse(string) : string.slice(1, -1);
}

/** The end of a JSON string. A quote after an odd number of backslashes is a part of the string. */
function closingQuote(text: string, openingQuote: number): number {
  let at = openingQuote;
  let backslashes;
  do {
    at = text.indexOf('"', at + 1);
    backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes++;
  } while (backslashes % 2 === 1);
  return at;
}
