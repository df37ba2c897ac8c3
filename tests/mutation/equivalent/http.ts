import type { Equivalents } from "./equivalents.ts";

export const http: Equivalents = {
  "lib/http/query.ts": [
    { changes: ["start < query.length → start <= query.length"], reason: "Behind the end there is no name" },
    { changes: ["{ return undefined; } → {}"], reason: "A function without a return returns undefined" },
  ],
  "lib/http/conditional.ts": [
    { changes: ["header === etag → false"], reason: "A header of one tag is also a list of one" },
  ],
};
