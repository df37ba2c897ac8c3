/**
 * The values that the members of a pet may have, and such that they must not have. It is the one
 * list for the cases of stores, of creates and of the specification, and for the fuzzer, whose
 * model is a second opinion on them.
 */

import type { PetStatus } from "@petstore/petstore";

/**
 * The statuses of section 2 of the specification. They are written out, because a mistake of the
 * library must not be a part of the question.
 */
export const STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];

/** JSON texts that are no status. */
export const NO_STATUSES = [
  '"lost"',
  '"Sold"',
  '"sold "',
  '"avail"',
  '""',
  '"null"',
  "null",
  "1",
  "false",
  '["sold"]',
  '"sold,pending"',
  '"constructor"',
];

export const INT64_MAX: bigint = 2n ** 63n - 1n;
export const INT64_MIN: bigint = -(2n ** 63n);

/** Integers at the boundaries of int64 and of what a JavaScript number holds exactly. */
export const INT64: readonly bigint[] = [INT64_MAX, INT64_MIN, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n, -1n];

/** Whole numbers in other notations, with their values. */
export const WRITTEN_INT64: Readonly<Record<string, string>> = {
  "7.0": "7",
  "1e3": "1000",
  "1E+3": "1000",
  "70e-1": "7",
  "-0": "0",
  "0e99999": "0",
  "9.223372036854775807e18": "9223372036854775807",
  "9007199254740993.000": "9007199254740993",
};

/** JSON texts that are no int64, as every parser of JSON sees. */
export const NO_CATEGORIES = [
  "9223372036854775808",
  "-9223372036854775809",
  '"7"',
  "7.5",
  "null",
  "true",
  "[7]",
  "{}",
  '""',
  '"seven"',
  "1e-3",
  "1e19",
  "1e400",
];

/** JSON numbers that are not whole, and that a parser which rounds takes for whole ones. */
export const ROUNDED_CATEGORIES = ["1e-400", "1.0000000000000000001", "4503599627370497.5"];

/** Names that wrong quoting, escaping, trimming, normalizing or cutting would damage. */
export const NAMES: readonly string[] = [
  "Rex",
  "x".repeat(255),
  "😀".repeat(255),
  'a"b\\c/d',
  `"quoted" and 'quoted'`,
  "  padded  ",
  "back\\slash \\u0041 \\",
  "line\u2028and\u2029paragraph é\u{1F600}",
  "👩‍🚀🐕",
  "e\u0301 is not \u00e9",
  "a\u00a0b",
  "\ufefforder marks \ufffe\uffff",
  "__proto__",
  "'); DROP TABLE pets; --",
  "null",
  "%s ? $1 :name /",
];

/** JSON texts that are no string. */
export const NO_STRINGS = ["7", "null", "true", "[]", "{}", '["Rex"]'];

/** JSON texts that are a string, and no name of this library. */
export const NO_NAMES = [
  '""',
  '" "',
  '"\u00a0\u2003"',
  '"\ufeff"',
  '"a\\u0000b"',
  '"a\\nb"',
  '"\\u007f"',
  '"a\\u0085b"',
  '"\\ud800"',
  '"\\udc00x"',
  `"${"x".repeat(256)}"`,
  `"${"😀".repeat(256)}"`,
];
