import type { Equivalents } from "./equivalents.ts";

export const descriptions: Equivalents = {
  "lib/operations/failure_groups.ts": [
    {
      changes: ['{ name: "caller", ...options } → {}', '"caller" → ""'],
      reason: "It is in the values of headers, which the description does not show",
    },
  ],
};
