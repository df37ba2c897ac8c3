/** The hosts whose tests are in integration/edge: their programs are shown too. A new host there gets its section here. */

import type { Section } from "./sections.ts";

export const EDGE_SECTIONS: readonly Section[] = [
  {
    title: "Cloudflare Workers",
    text:
      "`wrangler`, and a secret `PETSTORE_KEYS` with the keys, separated by commas. Each isolate has a memory of its " +
      "own and may end at any time, so a Worker that is to keep pets needs a store of your own, such as one on D1.",
    files: ["integration/edge/workers/worker.ts"],
    changes: [
      "A method that HTTP does not have gets 501 from the runtime",
      "After a body that was refused before its end, the connection is closed; a client that is still sending may miss " +
      "the answer",
      "Cloudflare compresses answers for a client that takes it",
      "A timer ends with the request that set it, so each body has one of its own there",
    ],
  },
  {
    title: "A Service Worker: a page without a server",
    text:
      "Bundle the first file as `sw.js`, and import the second in the page. From then on the page's own `fetch` is " +
      "answered by the petstore. It forgets its pets when the browser stops the worker, unless you give it a store.",
    files: ["integration/edge/service_worker/sw.js", "integration/edge/service_worker/page.js"],
    changes: [
      "The browser sends no `If-None-Match` of its own, and no header that pages may not set",
      "A key that a page has is no secret from who uses the page",
    ],
  },
];
