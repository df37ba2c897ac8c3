import type { Equivalents } from "./equivalents.ts";

export const access: Equivalents = {
  "lib/access/authentication.ts": [
    {
      changes: ['authorization.startsWith("Bearer ") → authorization.endsWith("Bearer ")'],
      reason: "A field value ends without a space, so each scheme is compared in lower case, which takes longer",
    },
    {
      changes: ["owner.expires !== Infinity → true"],
      reason: "No time is beyond Infinity, so the clock is read for nothing",
    },
  ],
  "lib/access/key_cache.ts": [
    { changes: ["content === known?.content → false"], reason: "The ring is made anew, which takes longer" },
    {
      changes: ["known && age < RENEW_AFTER → false"],
      reason: "The lines below return the ring too, which takes longer",
    },
    {
      changes: [
        "number > (this.#known?.number ?? 0) → number >= (this.#known?.number ?? 0)",
        "number < known.number → number <= known.number",
      ],
      reason: "No two reads have the same number, and one that has failed is not the known one",
    },
  ],
  "lib/access/key_manager.ts": [
    { changes: ["false → true"], line: "readOnly = false", reason: "Only its type is looked at" },
  ],
  "lib/access/key_ring.ts": [
    {
      changes: ["header.length - start > MAX_KEY_LENGTH → false", "this.#byDigest.size === 0 → false"],
      reason: "The key is found to be none of the known ones below, which takes longer",
    },
    { changes: ["this.#findKnown(key, 0) → false"], line: "if (this.", reason: "The key is kept twice" },
  ],
  "lib/access/limit_table.ts": [
    { changes: ["hash + i → hash - i"], reason: "The slots are others, which are spread as well" },
  ],
  "lib/hash.ts": [
    {
      changes: ["i < text.length → i <= text.length"],
      reason: "The hash is another one, which spreads texts as well",
    },
  ],
  "lib/access/rate_limit.ts": [
    { changes: ['"unknown" → ""'], reason: "Any text will do that is no address" },
    {
      changes: ['!address.includes(":") → false', '":" → ""'],
      line: "if (!address.includes(",
      reason: "In brackets, it is no address of IPv6 either, which takes longer to find",
    },
  ],
};
