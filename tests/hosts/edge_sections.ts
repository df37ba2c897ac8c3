/** The hosts whose tests are in tests/edge: their programs are shown too. A new host there gets its section here. */

import type { Section } from "./sections.ts";

export const EDGE_SECTIONS: readonly Section[] = [
  {
    title: "Cloudflare Workers",
    text:
      "A secret `PETSTORE_KEYS` with the keys, separated by commas, and a compatibility date of 2022-03-21 or later; no " +
      "`nodejs_compat`. Pets of the default store live as long as the isolate. Cloudflare runs many at once and ends " +
      "them at will, and each counts its ids from 1: to keep pets, hand over a store of your own, such as one on D1.",
    files: ["tests/edge/workers/worker.ts"],
    changes: [
      "A method that HTTP does not have gets 501 and plain text from workerd",
      "JSON is compressed for a client that takes it, and `Content-Encoding` is sent even with an empty answer. Seen " +
      "through miniflare; Cloudflare itself was not tested",
      "The connection is closed after an answer to a body that was not read to its end; a client that is still sending " +
      "may miss the answer",
      "A timer ends with the request that set it, so each body has one of its own there",
    ],
  },
  {
    title: "A Service Worker: a page without a server",
    text: "Bundle the first file as `sw.js`, and import the second in the page, which must come from `https:` or " +
      "`localhost`. From then on the page's own `fetch` is answered by the petstore. Its pets outlive a reload and end " +
      "with the worker, which a browser stops when it has been idle for about half a minute, unless you give it a store " +
      'of your own, such as one on IndexedDB. At `BASE_PATH = ""` it would answer for the page\'s own files.',
    files: ["tests/edge/service_worker/sw.js", "tests/edge/service_worker/page.js"],
    changes: [
      "The key is in the page for all to read: it protects nothing",
      "`cors` does nothing: a page cannot set `Origin`, and a request to another origin never comes to a Service Worker",
      "Bodies have no `Content-Length`",
    ],
  },
  {
    title: "Next.js, on Node 24",
    text:
      "Next.js 16 with the app router, in the Node runtime, and `skipTrailingSlashRedirect: true` in `next.config.mjs`, or " +
      "`/v1/pets/` is redirected to `/v1/pets`. Another base path is another folder, with `basePath` the same: " +
      '`app/api/v1/[[...path]]`, or `app/[[...path]]` with `""`, where the app\'s own routes win. Each such file, and each ' +
      "process, has its own petstore: make a store that is shared in a module of its own.",
    files: ["tests/edge/nextjs/app/v1/[[...path]]/route.js"],
    changes: [
      "Every answer has `vary: rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch`, before the " +
      "petstore's own `Vary`",
      "`HEAD` has no `Content-Length`",
      "A path with an empty segment (`/v1//pets`) is redirected by 308, before the key is asked for",
      "A path that does not decode (`/v1/pets/%zz`) gets 500 and plain text from Next.js",
      "A method that no route handler can export (`QUERY`) gets 400 and no body",
      "After a 413 to a body without a length, the connection takes no further request until Node closes it, some six " +
      "seconds later",
    ],
  },
  {
    title: "SvelteKit, on Node 24",
    text:
      "SvelteKit 3 with its Node adapter, and `BODY_SIZE_LIMIT` in the environment, larger than `maxBodyBytes`: the " +
      "adapter's own limit is 512 KiB, and what goes beyond it is cut, so that the petstore answers 400. Another base path " +
      "is another folder, as with Next.js.",
    files: ["tests/edge/sveltekit/src/routes/v1/[...path]/+server.js"],
    changes: [
      "A `POST` without `Content-Type`, or with that of a form or of plain text, gets 403 unless its `Origin` is the app's " +
      "own: SvelteKit takes it for the form of another site. Clients that send `application/json` never meet it",
      "A path that does not decode gets 400 and a page of HTML; a method that Node does not know gets 400 and no body",
      "Where a body is given up (408, or 413 to a body without a length), SvelteKit destroys the connection before there " +
      "is an answer. A body whose `Content-Length` is too large gets its 413",
    ],
  },
];
