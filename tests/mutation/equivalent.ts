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
  {
    file: "lib/stores/memory/memory_store.ts",
    change: '[] → ["Stryker was here"]',
    line: "#idsOfStatus",
    reason: "The bisection never stops at a text, which is greater than no id",
  },
  {
    file: "lib/stores/memory/memory_store.ts",
    change: "formatPetWithId(id, pet).trim() → formatPetWithId(id, pet)",
    reason: "The text takes more memory until it is read",
  },
  ...["this.#changes.additions++ → this.#changes.additions--", "this.#version++ → this.#version--"]
    .map((change) => ({
      ...{ file: "lib/stores/memory/memory_store.ts", change },
      reason: "Counters are compared, and only whether they differ counts",
    })),
  {
    file: "lib/stores/memory/memory_store.ts",
    change: "old && replaced → old || replaced",
    reason: "After the line above, both are there or none is",
  },
  ...[
    "old.expires <= replaced.expires → old.expires < replaced.expires",
    "key.lastUsed >= at → key.lastUsed > at",
  ].map((change) => ({
    ...{ file: "lib/stores/memory/memory_store.ts", change },
    reason: "Replaces a moment by the same moment",
  })),
  {
    file: "lib/http/query.ts",
    change: "start < query.length → start <= query.length",
    reason: "Behind the end there is no name",
  },
  {
    file: "lib/http/query.ts",
    change: "{ return undefined; } → {}",
    reason: "A function without a return returns undefined",
  },
  {
    file: "lib/operations/paging.ts",
    change: "id !== undefined → true",
    reason: "undefined is not greater than 0",
  },
  {
    file: "lib/operations/paging.ts",
    change: "{ return undefined; } → {}",
    reason: "A function without a return returns undefined",
  },
  {
    file: "lib/http/conditional.ts",
    change: "header === etag → false",
    reason: "A header of one tag is also a list of one",
  },
];
