import type { Equivalents } from "./equivalents.ts";

export const operations: Equivalents = {
  "lib/operations/create_pet.ts": [
    {
      changes: ["!(error instanceof SyntaxError) → false"],
      reason: "Only a defect of parseNewPet() throws another error",
    },
  ],
  "lib/operations/get_pet.ts": [
    { changes: ['"alteration" → ""'], reason: "What is not valid until an addition is valid until an alteration" },
  ],
  "lib/operations/idempotency.ts": [
    {
      changes: ['"" → "Stryker was here!"'],
      line: "const credentials =",
      reason: "No earlier release has remembered a request by such a key",
    },
    { changes: ["ITEM.exec(text)?.[1]?.slice → ITEM.exec(text)?.[1].slice"], reason: "What matches has the group" },
    { changes: ["/^\\w+ +/ → /\\w+ +/"], reason: "The first match is the scheme" },
  ],
  "lib/operations/list_pets.ts": [
    {
      changes: ['query === "" → false', '"" → "Stryker was here!"'],
      line: "FIRST_PAGE",
      reason: "It is read, which takes longer",
    },
    {
      changes: ['"alteration" → ""'],
      reason: "What is not valid until an addition is valid until an alteration",
    },
  ],
  "lib/operations/paging.ts": [
    { changes: ["id !== undefined → true"], reason: "undefined is not greater than 0" },
    { changes: ["{ return undefined; } → {}"], reason: "A function without a return returns undefined" },
  ],
};
