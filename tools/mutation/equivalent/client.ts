import type { Equivalents } from "./equivalents.ts";

export const client: Equivalents = {
  "lib/client/deprecation.ts": [
    { changes: ['"" → "Stryker was here!"'], reason: "Neither text is a date" },
    { changes: ["+date → -date"], reason: "A number and its negative are both NaN, or neither" },
  ],
  "lib/client/link.ts": [
    {
      changes: ['"" → "Stryker was here!"'],
      reason: "Neither text has a link, and neither is a relation that the client looks for",
    },
  ],
  "lib/client/options.ts": [
    { changes: ["{ return undefined; } → {}"], reason: "A function without a return returns undefined" },
  ],
  "lib/client/pet_json.ts": [
    {
      changes: [
        "hasPlainNumbers(text) && !/\\d{16}/.test(text) → false",
        "/\\d{16}/ → /\\d/",
        "/\\d{16}/ → /\\D{16}/",
      ],
      reason: "With the reviver, it takes longer",
    },
    {
      changes: [
        String.raw`/"(?:[^"\\]|\\.?)*"?/g → /"(?:[^"\\]|\\.?)*"/g`,
        String.raw`/"(?:[^"\\]|\\.?)*"?/g → /"(?:[^"\\]|\\.)*"?/g`,
      ],
      reason: "A text that is not closed, or ends in a backslash, is no JSON. Only the time differs",
    },
    { changes: ['"" → "Stryker was here!"'], reason: "Neither text has a number" },
  ],
  "lib/client/request.ts": [
    {
      changes: [
        "length && +length <= MAX_BODY_BYTES → false",
        "+length <= MAX_BODY_BYTES → +length < MAX_BODY_BYTES",
      ],
      reason: "A stream brings the same text, and takes longer",
    },
    { changes: ['"" → "Stryker was here!"'], line: 'headers.get("date")', reason: "Neither text is a date" },
    {
      changes: ['value.endsWith("GMT") → value.startsWith("GMT")'],
      reason: "Node reads a date that has its zone twice; not every browser does",
    },
  ],
  "lib/client/retry.ts": [
    {
      changes: ["performance.now() + delay >= end → performance.now() + delay > end"],
      reason: "A pause is random, and does not end at the very moment of the deadline",
    },
  ],
};
