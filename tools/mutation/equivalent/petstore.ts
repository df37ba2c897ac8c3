import type { Equivalents } from "./equivalents.ts";

export const petstore: Equivalents = {
  "lib/petstore/checked_options.ts": [
    {
      changes: ['method === "GET" → true'],
      reason: "The methods become a set, which has HEAD by those that are GET",
    },
  ],
};
