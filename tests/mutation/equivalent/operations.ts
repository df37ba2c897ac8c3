import type { Equivalents } from "./equivalents.ts";

export const operations: Equivalents = {
  "lib/operations/paging.ts": [
    { changes: ["id !== undefined → true"], reason: "undefined is not greater than 0" },
    { changes: ["{ return undefined; } → {}"], reason: "A function without a return returns undefined" },
  ],
};
