/** The parts of docs/hosts.md that are not made from tests/heavy/hosts/hosts.ts. */

/** A part of the page: a text, programs, and what to know about them. */
export interface Section {
  title: string;
  /** The runtime on which it was tested, for the table of hosts. */
  runtime?: string;
  text: string;
  /** The programs that are shown and linked, by their paths in the repository. */
  files: readonly string[];
  /** The programs that are linked only. */
  linked?: readonly string[];
  /** Deviations from the contract, a sentence each without its full stop. */
  deviations?: readonly string[];
}

/** The hosts whose tests are in tests/heavy/edge. */
export const EDGE_SECTIONS: readonly Section[] = [
  {
    title: "Cloudflare Workers",
    runtime: "workerd",
    text:
      "Set a secret `PETSTORE_KEYS` with the keys, separated by commas, and a compatibility date of 2022-03-21 or later; " +
      "`nodejs_compat` is not needed. This Worker does not keep its pets: Cloudflare runs many isolates and ends them at any time, " +
      "and each has its own memory store with ids from 1. The two sections below keep the pets.",
    files: ["tests/heavy/edge/workers/worker.ts"],
    deviations: [
      "An unknown method gets 501 and plain text from workerd",
      "JSON is compressed for a client that accepts it (in miniflare; Cloudflare itself was not tested)",
      "The connection is closed after a response to a body that was not read to its end",
    ],
  },
  {
    title: "Cloudflare Workers with D1",
    runtime: "workerd",
    text:
      "This is the Worker above with another store. Any number of Workers share the pets of [one D1 database](stores.md#at-the-edge), " +
      "which `d1_databases` in `wrangler.json` binds to `DB`. The two lines that differ are " +
      '`import { createD1Store } from "@petstore/edge/d1"` and `createPetstore({ store: createD1Store(env.DB), … })`.',
    files: [],
    linked: ["tests/heavy/edge/workers/d1/worker.ts", "tests/heavy/edge/workers/d1/wrangler.json"],
  },
  {
    title: "A Durable Object",
    runtime: "workerd",
    text:
      "One object keeps all pets in its own database, and answers all requests. Its class makes the petstore with " +
      "`createDurableObjectStore(storage)`, and the Worker passes requests to it. Responses differ as on Cloudflare Workers above.",
    files: [],
    linked: ["tests/heavy/edge/workers/object/worker.ts", "tests/heavy/edge/workers/object/wrangler.json"],
  },
  {
    title: "A Service Worker",
    runtime: "Chromium",
    text:
      "Use this for a page without a server. Bundle the first file as `sw.js`, and import the second in the page, which " +
      "must come from `https:` or `localhost`. The pets survive a reload of the page. They are lost when the browser ends the " +
      "worker, half a minute after the last request. To keep them, write a store of your own, such as one on IndexedDB.",
    files: [],
    linked: ["tests/heavy/edge/service_worker/sw.js", "tests/heavy/edge/service_worker/page.js"],
    deviations: [
      "The page contains the key, so the key protects nothing",
      "`cors` has no effect: a page cannot set `Origin`, and requests from other origins do not reach a Service Worker",
      "Bodies have no `Content-Length`",
    ],
  },
  {
    title: "Next.js 16",
    runtime: "Node 24",
    text:
      "Use this route with the app router, and set `skipTrailingSlashRedirect: true` in `next.config.mjs`. For another base path, use " +
      'the folder and the `basePath` of that path, such as `app/api/v1/[[...path]]` with `/api/v1`, or `app/[[...path]]` with `""`, ' +
      "where the app's own routes take precedence. If several such files share a store, put it into a module of its own, because each " +
      "file makes its own petstore.",
    files: ["tests/heavy/edge/nextjs/app/v1/[[...path]]/route.ts"],
    deviations: [
      "Every response has `vary: rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch`, before the " +
      "petstore's own `Vary`",
      "`HEAD` has no `Content-Length`",
      "A path with an empty segment (`/v1//pets`) is redirected by 308, without a key check",
      "A path that does not decode (`/v1/pets/%zz`) gets 500 and plain text from Next.js",
      "A method that a route handler cannot export (`QUERY`) gets 400 without a body",
    ],
  },
  {
    title: "SvelteKit 3",
    runtime: "Node 24",
    text:
      "Use this route with the Node adapter. The adapter cuts bodies above 512 KiB. If your `maxBodyBytes` is higher, set " +
      "`BODY_SIZE_LIMIT` in the environment to a higher limit.",
    files: ["tests/heavy/edge/sveltekit/src/routes/v1/[...path]/+server.ts"],
    deviations: [
      "A `POST` without `Content-Type`, or with the type of a form or of plain text, gets 403 unless its `Origin` is the " +
      "app's own",
      "A path that does not decode gets 400 and a page of HTML. A method that Node does not know gets 400 without a body",
      "When the petstore stops reading a body (408, or 413 to a body without a length), SvelteKit closes the connection " +
      "before the response",
    ],
  },
  {
    title: "Nitro 2",
    runtime: "Node 24",
    text:
      "With the `node-server` preset, write `export default fromNodeMiddleware((request, response, _next) => servePetstore(request, " +
      "response))`. Its third parameter tells h3 to wait for the end of the response. With presets without Node, write " +
      "`defineEventHandler((event) => petstore.handle(toWebRequest(event)))`. This drops empty header fields, so the petstore does not " +
      "refuse an empty `Idempotency-Key`.",
    files: [],
    linked: ["tests/heavy/edge/nitro/routes/v1/[...path].js"],
    deviations: ["An unknown method (`constructor`) gets 400 without a body from Node's parser"],
  },
  {
    title: "Astro 7",
    runtime: "Node 24",
    text:
      "Use this route with the Node adapter, and set `security: { checkOrigin: false }` in the configuration. Otherwise a `POST` " +
      "without `Content-Type` gets 403 from Astro. Astro's `clientAddress` is the address of the client.",
    files: [],
    linked: ["tests/heavy/edge/astro/src/pages/v1/[...path].js", "tests/heavy/edge/astro/astro.config.mjs"],
    deviations: [
      "A path or query that does not decode (`%zz`) gets 400 and plain text from Astro",
      "An unknown method (`constructor`) gets 400 without a body from Node's parser",
    ],
  },
];

const PROGRAMS = "tests/heavy/hosts/programs";

/** An app's own parts in place of the petstore's, and paths that change on the way. */
export const OWN_SECTIONS: readonly Section[] = [
  {
    title: "Your authentication and your log",
    text: "A function for [`keys`](library.md#keys-and-callers) checks the app's own sessions, and " +
      "[`onError`](library.md#failures) logs failures. Log the path without its query, and no headers, because one of them " +
      "contains the key.",
    files: [],
    linked: [`${PROGRAMS}/own_keys.ts`, `${PROGRAMS}/own_log.ts`],
  },
  {
    title: "Deno KV",
    text:
      "An app keeps its pets in [its KV](stores.md#at-the-edge), beside its own data: `createKvStore(await Deno.openKv())`. " +
      "Run it with `deno run --quiet --unstable-kv --allow-net --allow-env --allow-read --allow-write app.ts`.",
    files: [],
    linked: [`${PROGRAMS}/own_kv.ts`],
  },
  {
    title: "A path prefix",
    text:
      "If a router removes a prefix, the petstore sees other paths than its clients. Set `basePath` to the path that the " +
      "petstore sees, and `publicBaseUrl` to the path that clients see, with which the petstore begins its links. For Hono's " +
      '`app.mount("/api/v1", petstore.handle)`, they are `""` and `"/api/v1"`.',
    files: [],
    linked: [`${PROGRAMS}/behind_prefix.ts`],
  },
  {
    title: "A proxy in front",
    text:
      "Links are relative to the host, so a proxy that keeps the path needs no setting. A proxy that changes it, such as " +
      "nginx with `location /store/v1/ { proxy_pass http://127.0.0.1:8000/v1/; }`, needs " +
      '`publicBaseUrl: "https://api.example/store/v1"`.',
    files: [],
    linked: [`${PROGRAMS}/behind_proxy.ts`],
  },
];
