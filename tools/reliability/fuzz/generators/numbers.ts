import fc from "fast-check";
import { weighted } from "./weighted.ts";

const EDGES = [
  0n,
  1n,
  7n,
  10n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n,
  10n ** 18n,
  10n ** 19n,
];

const INTEGER = weighted(
  [2, fc.nat({ max: 1000 }).map(BigInt)],
  [2, fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)],
  [2, fc.tuple(fc.constantFrom(...EDGES), fc.boolean()).map(([edge, isNegative]) => isNegative ? -edge : edge)],
  [1, fc.constantFrom(-(2n ** 63n) - 1n, 2n ** 63n - 2n, 10n ** 400n)],
);

/** Writes an integer; `k` says how far the point goes. */
type Notation = (digits: string, k: number) => string;

/** Notations of the same number; the digits may have a sign. */
const RIGHT: Notation[] = [
  (digits) => `${digits}.0`,
  (digits, k) => `${digits}.${"0".repeat(k + 1)}`,
  (digits, k) => `${digits}${"0".repeat(k)}e-${k}`,
  (digits, k) => `${digits}.${"0".repeat(k + 1)}E+00`,
  (digits) => `${digits}e0`,
  (digits, k) => shift(digits, k),
];

function shift(digits: string, k: number): string {
  const [sign, plain] = digits.startsWith("-") ? ["-", digits.slice(1)] : ["", digits];
  const at = Math.max(1, plain.length - k);
  return at === plain.length ? digits : `${sign}${plain.slice(0, at)}.${plain.slice(at)}e${plain.length - at}`;
}

/** Notations of other numbers, or of none. */
const WRONG: Notation[] = [
  (digits) => `${digits}.5`,
  (digits, k) => `${digits}.${"0".repeat(k)}1`,
  (digits, k) => `${digits}e${k}`,
  (digits, k) => `${digits}e-${k + 1}`,
  (digits) => `${digits}e99999999999999999999`,
  (digits) => `${digits}e-99999999999999999999`,
  (digits) => `"${digits}"`,
  (digits) => `+${digits}`,
  (digits) => `0${digits}`,
  (digits) => `${digits}.`,
  (digits) => `${digits}n`,
  (digits) => `${digits}e`,
  (digits) => `${digits}_000`,
];

const OTHER = "-0 -0.0 0e400 0.0e-400 1e400 -1e400 5e-324 .5 - 0x7 NaN Infinity null".split(" ")
  .concat("true", "[7]", "{}", '""', '"7"', "0.1e1", "100000e-5", `1${"0".repeat(700)}e-700`)
  .concat(`0.${"0".repeat(700)}7e701`);

export const CATEGORY_ID: fc.Arbitrary<string> = weighted(
  [6, INTEGER.map(String)],
  [6, write(RIGHT)],
  [2, write(WRONG)],
  [1, OTHER],
);

function write(notations: Notation[]): fc.Arbitrary<string> {
  return fc.tuple(INTEGER, fc.constantFrom(...notations), fc.nat({ max: 30 })).map(([value, notation, k]) =>
    notation(String(value), k)
  );
}
