/**
 * Mutants that no test can notice, each with its reason. They do not count. `deno task mutate` fails if a test notices one
 * after all, or if the code has changed so that it is gone.
 */

export interface Equivalent {
  file: string;
  /** The code and what replaces it, with single spaces, as `deno task mutate` shows them. */
  change: string;
  /** A piece of the line where it begins, if the file has that change more than once. */
  line?: string;
  reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: "lib/json.ts",
    change: "i < text.length → i <= text.length",
    reason: "charCodeAt() behind the end is NaN, which is no digit",
  },
  {
    file: "lib/json.ts",
    change: '"" → "Stryker was here!"',
    line: "const [number, sign, digits",
    reason: "A number has digits, and what is no number is not read any further",
  },
  ...[
    "Number.isSafeInteger(categoryId) && hasPlainNumbers(text) → false",
    '{ return petOrFaults(name, BigInt(categoryId as number), "", status); } → {}',
  ].map((change) => ({ file: "lib/pet.ts", change, reason: "The slow way reads the same number" })),
  {
    file: "lib/pet.ts",
    change: '"" → "Stryker was here!"',
    line: "return petOrFaults(name, BigInt(",
    reason: "Messages have the text of a number, and this one has no fault",
  },
  ...[
    "value.length > 2 * MAX_NAME_LENGTH → false",
    "value.length <= MAX_NAME_LENGTH → false",
    "value.length <= MAX_NAME_LENGTH → value.length < MAX_NAME_LENGTH",
  ].map((change) => ({ file: "lib/pet.ts", change, reason: "Its code points are counted, which takes longer" })),
  {
    file: "lib/pet.ts",
    change: "i < value.length → i <= value.length",
    reason: "charCodeAt() behind the end is NaN, which is no control character",
  },
];
