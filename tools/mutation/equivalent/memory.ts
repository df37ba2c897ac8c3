import type { Equivalents } from "./equivalents.ts";

export const memory: Equivalents = {
  "lib/stores/memory/memory_store.ts": [
    {
      changes: ['[] → ["Stryker was here"]'],
      line: "#idsOfStatus",
      reason: "The bisection never stops at a text, which is greater than no id",
    },
    {
      changes: ["formatPetWithId(id, pet).trim() → formatPetWithId(id, pet)"],
      reason: "The text takes more memory until it is read",
    },
  ],
};
