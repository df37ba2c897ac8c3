import type { Equivalents } from "./equivalents.ts";

export const http: Equivalents = {
  "lib/http/body.ts": [
    {
      changes: ['"\\uFFFD" → ""'],
      reason: "The slow way gives the same text, or the same failure",
    },
    {
      changes: ['type !== "application/json" → true', '"application/json" → ""'],
      line: "type !== null",
      reason: "The slow way finds the same type",
    },
    {
      changes: ["!isFramed → true"],
      reason: "It saves a look-up: HTTP has no transfer coding beside a length (RFC 9112 §6.1)",
    },
    {
      changes: ["+declared <= WHOLE_BODY → +declared < WHOLE_BODY"],
      reason: "Reading in pieces gives the same text, and takes longer",
    },
  ],
  "lib/http/body_stream.ts": [
    {
      changes: ["2 * buffer.byteLength → 2 / buffer.byteLength"],
      reason: "A buffer that is not doubled grows more often, which takes longer",
    },
    { changes: ["buffer = buffer.transfer(0); → ;"], reason: "The buffer takes memory until it is collected" },
    {
      changes: ["pieces % PIECES_A_TURN === 0 → true", "pieces % PIECES_A_TURN === 0 → pieces % PIECES_A_TURN !== 0"],
      reason: "Others have a turn more often, which takes longer",
    },
    {
      changes: ["discard(reader); → ;", "TIMERS_END_WITH_REQUESTS → false"],
      line: "if (TIMERS_END_WITH_REQUESTS) discard(reader);",
      reason: "It is false everywhere but on Cloudflare Workers",
    },
  ],
  "lib/http/cors.ts": [
    { changes: ['"" → "Stryker was here!"'], line: "toOrigins.get", reason: "Neither is a listed origin" },
    {
      changes: ["kept?.reply !== reply → true", "kept.granted?.fields !== fields → true"],
      reason: "The response is made anew, which takes longer",
    },
    { changes: ["headers.length === given.length → false"], reason: "A copy of the response takes longer" },
  ],
  "lib/http/deadlines.ts": [
    {
      changes: ["globalThis.navigator?.userAgent → globalThis.navigator.userAgent"],
      reason: "All runtimes that are tested have a navigator",
    },
    {
      changes: [
        "performance.now() - tickedAt > 2 * interval + MAX_DELAY → performance.now() - tickedAt >= 2 * interval + MAX_DELAY",
        "2 * interval → 2 / interval",
      ],
      reason: "How late a timer may be is approximate",
    },
    {
      changes: ["open.size > 0 → true", "open.size > 0 → open.size >= 0"],
      line: "isTimerLost",
      reason: "A lost timer is noticed earlier, at the price of a look at the clock for each body",
    },
    { changes: ["clearTimeout(timer); → ;"], reason: "A timer more finds no more deadlines that are due" },
  ],
  "lib/http/finisher.ts": [
    { changes: ["fields → true"], reason: "It adds no fields, which takes longer" },
  ],
  "lib/http/pipeline.ts": [
    {
      changes: ["last?.method !== method || last.key !== targetKey → true"],
      reason: "The route is found again, which takes longer",
    },
  ],
  "lib/http/reply.ts": [
    {
      changes: [
        '"Bun" → ""',
        '"content-type" → ""',
        '!ON_BUN || response.headers.has("content-type") → true',
        '!ON_BUN || response.headers.has("content-type") → false',
        '!ON_BUN || response.headers.has("content-type") → !ON_BUN && response.headers.has("content-type")',
        "{ // Throws if it is locked. The copy must not keep what the other one reads. " +
        "response.clone().body?.cancel().catch(() => {}); return true; } → {}",
        "response.clone().body?.cancel → response.clone().body.cancel",
        "true → false",
        "{ return false; } → {}",
      ],
      reason: "Only Bun needs the copy, which is whole where the body is unread",
    },
    { changes: ["!ON_BUN → ON_BUN"], line: "if (!ON_BUN || ", reason: "A copy takes longer" },
    {
      changes: ['"headers" in body && !ON_BUN → true', '"headers" in body && !ON_BUN → "headers" in body || !ON_BUN'],
      reason: "A stream has no member body, so it is not null",
    },
  ],
  "lib/http/response_cache.ts": [
    { changes: ["-1 → +1"], reason: "An empty cache need not be emptied" },
    { changes: ['typeof body !== "string" → false'], reason: "What may be kept has a text" },
    {
      changes: [
        "weight <= maxWeight / 2 → weight < maxWeight / 2",
        "total > maxWeight / 2 → total >= maxWeight / 2",
      ],
      reason: "The sizes are approximate, so one byte more or less is the same limit",
    },
  ],
  "lib/http/target.ts": [
    { changes: ["question < 0 → question <= 0"], reason: "A path begins with a slash" },
  ],
  "lib/http/utf8.ts": [
    {
      changes: ["3 * text.length + 16 → 3 * text.length - 16"],
      reason: "JSON has more than sixteen ASCII characters in every long text, and each takes one byte of three",
    },
    {
      changes: ["scratch.length < size → true", "scratch.length < size → scratch.length <= size"],
      reason: "A new buffer takes longer",
    },
  ],
  "lib/http/router.ts": [
    {
      changes: ['path.indexOf("/", length) < 0 → path.indexOf("/", length) <= 0'],
      reason: "It is found behind the prefix, which is not empty",
    },
    { changes: ['"key" → ""'], reason: "Only public operations need no key" },
  ],
  "lib/http/query.ts": [
    { changes: ["{ return undefined; } → {}"], reason: "A function without a return returns undefined" },
  ],
};
