/** Exact int64 numbers from JSON. */

/** The pattern of a number in RFC 8259 §6: sign, digits, fraction and exponent. */
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const INT64_DIGITS = 19;

/** The exact value of a JSON number such as `7`, `7.0` or `70e-1`; `undefined` if it is not whole or not an int64. */
export function parseInt64(source: string): bigint | undefined {
  const [number, sign = "", digits = "", fraction = "", exponent = 0] = NUMBER.exec(source) ?? [];
  if (number === undefined) return undefined;
  const significant = (digits + fraction).replace(/^0+/, "");
  // The zeros at the end are cut off one by one, because a pattern that ends with $ takes quadratic time.
  let end = significant.length;
  while (significant[end - 1] === "0") end--;
  if (end === 0) return 0n;
  const zeros = significant.length - end + Number(exponent) - fraction.length;
  // The number of digits is checked before they are made, because an exponent may ask for billions of them.
  if (zeros < 0 || end + zeros > INT64_DIGITS) return undefined;
  const value = BigInt(sign + significant.slice(0, end)) * 10n ** BigInt(zeros);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
