import type { Equivalents } from "./equivalents.ts";

export const access: Equivalents = {
  "lib/access/authentication.ts": [
    {
      changes: ['authorization.startsWith("Bearer ") → authorization.endsWith("Bearer ")'],
      reason: "A field value ends without a space, so each scheme is compared in lower case, which takes longer",
    },
  ],
  "lib/access/limit_table.ts": [
    {
      changes: ["i < name.length → i <= name.length", "hash + i → hash - i"],
      reason: "The hash is another one, which spreads names as well",
    },
  ],
  "lib/access/rate_limit.ts": [
    { changes: ['"unknown" → ""'], reason: "Any text will do that is no address" },
    {
      changes: ['!address.includes(":") → false', '":" → ""'],
      line: "if (!address.includes(",
      reason: "In brackets, it is no address of IPv6 either, which takes longer to find",
    },
    {
      changes: ['[] → ["Stryker was here"]'],
      line: "const [head = [], tail = []]",
      reason: "There is a head, and without a tail the head has eight groups, the first four of which are not all zero",
    },
  ],
};
