/** Exact int64 numbers from JSON. */

/** The value of a JSON number such as `7` or `7.0`; `undefined` if it is not whole or not an int64. */
export function parseInt64(source: string): bigint | undefined {
  const [, digits] = /^(-?\d+)(?:\.0+)?$/.exec(source) ?? [];
  if (digits === undefined) return undefined;
  const value = BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
