import type { Equivalents } from "./equivalents.ts";

export const operations: Equivalents = {
  "lib/operations/create_pet.ts": [
    {
      changes: ["!(error instanceof SyntaxError) → false"],
      reason: "Only a defect of parseNewPet() throws another error",
    },
    { changes: ['"available" → ""'], line: 'parseNewPet("{}"', reason: "The pet is refused before its status counts" },
  ],
  "lib/operations/paging.ts": [
    { changes: ["id !== undefined → true"], reason: "undefined is not greater than 0" },
    { changes: ["{ return undefined; } → {}"], reason: "A function without a return returns undefined" },
  ],
};
