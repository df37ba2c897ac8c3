/**
 * Reads exact int64 numbers from JSON. `JSON.parse` rounds integers beyond 2^53. Its reviver sees the source text, but runs for every
 * value. So `JSON.parse` runs without it, and again with it only if the number may not be exact.
 */

/** The range of an int64, for messages. */
export const INT64_RANGE: string = `from ${-(2n ** 63n)} to ${2n ** 63n - 1n}`;
const ZERO = 0x30;
const INT64_DIGITS = 19;

/** Shortens a text for a message, so that a long request does not cause a long response. */
export function excerpt(text: string, length = 64): string {
  return text.length <= length ? text : text.slice(0, length).toWellFormed() + "…";
}

/** Quotes a text of a client for a message. */
export function quoted(text: string): string {
  return JSON.stringify(excerpt(text));
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
  return !/\d[.eE]/.test(text);
}

/**
 * The source text of the number in the member `name` of a JSON object; `""` if the runtime cannot tell it. As in `JSON.parse`, the
 * last of several members wins.
 *
 * @throws {RangeError} If the text is nested so deeply that the engine runs out of stack.
 */
export function numberSource(text: string, name: string): string {
  const sources = new Map<unknown, string>();
  const object = JSON.parse(text, function (this: unknown, member, value, context?: { source: string }) {
    if (member === name && typeof value === "number" && context) sources.set(this, context.source);
    return value;
  });
  return sources.get(object) ?? "";
}

/** A number in the syntax of RFC 8259 §6: sign, digits, fraction and exponent. */
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The exact value of a JSON number such as `7`, `7.0`, `70e-1` or `1e3`; `undefined` if it is no such number, not whole or not
 * an int64.
 */
export function parseInt64(source: string): bigint | undefined {
  const [number, sign, digits, fraction = "", exponent = 0] = NUMBER.exec(source) ?? [];
  if (number === undefined) return undefined;
  const magnitude = parseScaled(digits! + fraction, fraction.length - +exponent);
  if (magnitude === undefined) return undefined;
  const value = sign === "-" ? -magnitude : magnitude;
  return isInt64(value) ? value : undefined;
}

/** `digits` × 10^−`scale`, if that is whole and has at most 19 digits. The cost does not depend on the scale. */
function parseScaled(digits: string, scale: number): bigint | undefined {
  let start = 0, end = digits.length;
  while (digits.charCodeAt(start) === ZERO) start++;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end--;
  if (start === end) return 0n;
  const zeros = digits.length - end - scale;
  if (zeros < 0 || end - start + zeros > INT64_DIGITS) return undefined;
  return BigInt(digits.slice(start, end)) * 10n ** BigInt(zeros);
}
