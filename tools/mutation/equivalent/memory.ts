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
    { changes: ["old && replaced → old || replaced"], reason: "After the line above, both are there or none is" },
    {
      changes: [
        "old.expires <= replaced.expires → old.expires < replaced.expires",
        "known <= now → known < now",
      ],
      reason: "Replaces a moment by the same moment",
    },
  ],
};
