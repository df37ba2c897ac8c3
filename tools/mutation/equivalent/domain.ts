import type { Equivalents } from "./equivalents.ts";

export const domain: Equivalents = {
  "lib/json.ts": [
    {
      changes: ["i < text.length → i <= text.length"],
      reason: "charCodeAt() behind the end is NaN, which is no digit",
    },
  ],
  "lib/pet.ts": [
    {
      changes: ["id == lastId && name === lastName && categoryId === lastCategory && status === lastStatus → false"],
      reason: "The text is made again",
    },
    {
      changes: [
        "Number.isSafeInteger(categoryId) && hasPlainNumbers(text) → false",
        '{ return petOrFaults(name, BigInt(categoryId as number), "", status); } → {}',
      ],
      reason: "The slow way reads the same number",
    },
    {
      changes: ['"" → "Stryker was here!"'],
      line: "return petOrFaults(name, BigInt(",
      reason: "Messages have the text of a number, and this one has no fault",
    },
    {
      changes: [
        "value.length > 2 * MAX_NAME_LENGTH → false",
        "value.length <= MAX_NAME_LENGTH → false",
        "value.length <= MAX_NAME_LENGTH → value.length < MAX_NAME_LENGTH",
      ],
      reason: "Its code points are counted, which takes longer",
    },
    {
      changes: ["i < value.length → i <= value.length"],
      reason: "charCodeAt() behind the end is NaN, which is no control character",
    },
  ],
};
