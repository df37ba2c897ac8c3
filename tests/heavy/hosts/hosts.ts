/** Every host that is tested here, and where its responses differ from the petstore's own. */

import {
  type Deviation,
  exactly,
  lateRefusal,
  like,
  NODE_PARSER,
  noResponse,
  outside,
  undecodablePath,
  unknownMethod,
} from "../../support/http/deviation.ts";
import type { OddResponses } from "../../support/http/odd_requests.ts";
import {
  BUN_RUNTIME,
  DENO,
  DENO_SERVE,
  NODE_24,
  NODE_24_AZURE,
  NODE_24_DECORATORS,
  NODE_24_LAMBDA,
  type Runtime,
} from "./driver/program.ts";

/** A program in programs/. */
export interface MountedHost {
  name: string;
  file: string;
  runtime: Runtime;
  /** How the program is run, or why it is written as it is, for docs/hosts.md. */
  about: string;
  /** Whether docs/hosts.md only links the program, because `about` says how it differs from another. */
  isLinked?: true;
  /** Facts that the contract does not meet, for docs/hosts.md. */
  notes?: readonly string[];
  deviations: readonly Deviation[];
  /** Where it answers odd requests in its own way. */
  odd?: OddResponses;
  /** Header fields that it adds to every response of the petstore. */
  adds?: Readonly<Record<string, string>>;
  /** Whether it sends short responses in chunks instead of with `Content-Length`. */
  sendsChunks?: boolean;
  /** Whether it calls the program when the request is complete, and sends a response when that is complete. */
  collectsBodies?: boolean;
  /** Whether a response loses all its cookies but the last. */
  keepsLastCookie?: boolean;
  /** Whether the cases run too that do not depend on a host: the library's own ways of serving, other than `Deno.serve`. */
  runsWholeContract?: boolean;
  /** Whether a petstore at the root hides the app's own routes. */
  hidesAppAtRoot?: boolean;
}

const BUN_PARSER = unknownMethod("gets no response: Bun closes the connection", noResponse);

const SRVX_BODY = lateRefusal("srvx keeps the connection for five seconds");

const PLAIN = outside(/^Not found$/);

/** Those of `Deno.serve`, whose parser also refuses a body after `Upgrade`. */
const DENO_ODD: OddResponses = {
  noHost: "200",
  twoHosts: "400",
  fields: "400",
  hidden: "",
  upgrade: "400",
  behind: "200, 404",
};

const BUN_ODD: OddResponses = {
  dots: "200",
  fields: "431",
  trailers: "201, 400",
  hidden: "201, 400",
  upgrade: "201",
  behind: "200, 404",
};

/** Those of hosts that make a `Request` of Node's before the petstore sees it. */
const REQUEST_ODD: OddResponses = { dots: "200", upgrade: "201", behind: "200" };

/** The deviations of functions in a cloud. */
const COLLECTED: Deviation[] = [
  unknownMethod("does not reach the function", exactly(400, "")),
  {
    says: "A body that stalls does not reach the function, which is called when the body is complete",
    concerns: ({ request, caseName }) => /^answers 408/.test(caseName) && request.method === "POST",
    check: noResponse,
  },
];

const PARSERS =
  "Middleware that reads bodies, such as `express.json()` or `koa-body`, must come after the petstore. A body that has " +
  "already been read is answered with 500, and `onError` gets the reason, unless the host keeps its bytes in `request.rawBody`";

export const HOSTS: readonly MountedHost[] = [
  {
    name: "Deno.serve",
    file: "deno.ts",
    runtime: DENO,
    about: "Run it with `deno run --quiet --allow-net --allow-env app.ts`.",
    notes: [
      "`Deno.serve` has no time limit for headers: put [a proxy](production.md#production) in front",
      "`Upgrade` with a body gets 400, so [Java's client needs a setting](clients.md#java)",
    ],
    deviations: [PLAIN],
    odd: { ...DENO_ODD, badHost: "404" },
  },
  {
    name: "deno serve",
    file: "deno_serve.ts",
    runtime: DENO_SERVE,
    about:
      "The default export is `{ fetch }`, with the function of Deno.serve above. Run it with `deno serve --quiet --port 8000 " +
      "--allow-env app.ts`. With `--parallel`, give the servers an SQLite file: each would have its own memory store.",
    isLinked: true,
    deviations: [PLAIN],
    odd: { ...DENO_ODD, badHost: "404" },
  },
  {
    name: "Bun.serve",
    file: "bun.ts",
    runtime: BUN_RUNTIME,
    runsWholeContract: true,
    about: "Run it with `bun app.ts`.",
    notes: [
      "Bun takes a backslash in a path for a slash, as every `URL` does: a proxy with rules for paths must refuse it",
    ],
    deviations: [PLAIN, BUN_PARSER],
    odd: BUN_ODD,
  },
  {
    name: "node:http",
    file: "node.ts",
    runtime: NODE_24,
    runsWholeContract: true,
    about: "This program needs no package but Petstore.",
    notes: [
      "Node closes a connection whose request has not arrived within 300 seconds (`server.requestTimeout`)",
    ],
    deviations: [PLAIN, NODE_PARSER],
  },
  {
    name: "srvx",
    file: "node_srvx.ts",
    runtime: NODE_24,
    about: "Use srvx for an app that is written for `Request` and `Response`, like the program for Deno.serve above.",
    isLinked: true,
    deviations: [PLAIN, NODE_PARSER, SRVX_BODY],
    sendsChunks: true,
    odd: REQUEST_ODD,
  },
  {
    name: "Hono on Node",
    file: "node_hono.ts",
    runtime: NODE_24,
    about:
      "The petstore takes Node's request and response, which Hono's adapter has in `env`. If Hono's middleware, such as `cors()`, " +
      "must see the response, write `({ req }) => petstore.handle(req.raw)`, which works on every runtime.",
    deviations: [outside(/^404 Not Found$/, { isBasePathOurs: true }), NODE_PARSER],
    odd: { badHost: "400" },
  },
  {
    name: "Hono on Deno",
    file: "hono.ts",
    runtime: DENO,
    about: "`app.mount()` [removes the prefix](#a-path-prefix).",
    deviations: [outside(/^404 Not Found$/, { isBasePathOurs: true })],
    odd: DENO_ODD,
  },
  {
    name: "Express 5",
    file: "express.ts",
    runtime: NODE_24,
    about: "The listener is a middleware. It reads `originalUrl`, so the prefix that Express removes does not matter.",
    notes: ['`app.disable("x-powered-by")` removes that header', PARSERS],
    deviations: [outside(/<pre>Cannot [A-Z]+ /, { isBasePathOurs: true }), NODE_PARSER],
    adds: { "x-powered-by": "Express" },
  },
  {
    name: "NestJS 12",
    file: "nestjs.ts",
    runtime: NODE_24_DECORATORS,
    about:
      "With the default adapter, Express, call `app.use(BASE_PATH, createNodeListener(petstore))` before `app.listen()`, which adds " +
      "body parsers. Compile the file, because Node does not run decorators.",
    isLinked: true,
    notes: ["Guards, interceptors, pipes and filters of Nest do not see the petstore's requests"],
    deviations: [outside(/"message":"Cannot [A-Z]+ /, { isBasePathOurs: true }), NODE_PARSER],
    adds: { "x-powered-by": "Express" },
    hidesAppAtRoot: true,
  },
  {
    name: "Fastify 5",
    file: "fastify.ts",
    runtime: NODE_24,
    about:
      "Fastify parses JSON before its handlers run, so an int64 would lose digits. Therefore a hook, in a scope of its own, passes " +
      "the requests to the petstore.",
    notes: ["Later hooks, such as `onSend`, do not see the petstore's requests"],
    deviations: [
      outside(/^{"message":"Route [A-Z]+:.* not found"/),
      unknownMethod(
        "gets 400 from Fastify",
        exactly(400, '{"error":"Bad Request","message":"Client Error","statusCode":400}'),
      ),
      undecodablePath("gets 400 `FST_ERR_BAD_URL` from Fastify", like(400, /"FST_ERR_BAD_URL"/)),
    ],
  },
  {
    name: "Hapi 21",
    file: "hapi.ts",
    runtime: NODE_24,
    about: "The extension `onPreAuth` of a route passes requests to the petstore, before Hapi reads the body.",
    isLinked: true,
    notes: ["Later extensions, such as `onPreResponse`, do not see the petstore's requests"],
    deviations: [
      outside(/^{"statusCode":404,/, { isBasePathOurs: true }),
      NODE_PARSER,
      undecodablePath(
        "gets 400 from Hapi",
        like(400, /^{"statusCode":400,"error":"Bad Request","message":"Bad Request"}$/),
      ),
    ],
    odd: { hidden: "408, 400", expect: "401" },
  },
  {
    name: "h3",
    file: "h3.ts",
    runtime: NODE_24,
    about:
      "With version 2, whose events have a `Request`, write ``app.all(`${BASE_PATH}/**`, ({ req }) => petstore.handle(req))``. The " +
      "`serve()` of h3 comes from srvx.",
    isLinked: true,
    deviations: [
      outside(/"Cannot find any route matching /, { isBasePathOurs: true }),
      NODE_PARSER,
      undecodablePath("gets 400 from h3", like(400, /^{"status":400,"message":"Bad Request"}$/)),
      SRVX_BODY,
    ],
    sendsChunks: true,
    odd: REQUEST_ODD,
  },
  {
    name: "Elysia",
    file: "elysia.ts",
    runtime: BUN_RUNTIME,
    about:
      'Write ``app.all(`${BASE_PATH}/*`, ({ request, server }) => …, { parse: "none" })``. `parse` stops Elysia from reading the body.',
    isLinked: true,
    deviations: [outside(/^NOT_FOUND$/), BUN_PARSER],
    odd: BUN_ODD,
  },
  {
    name: "Koa",
    file: "koa.ts",
    runtime: NODE_24,
    about: "A middleware sets `context.respond = false`, and calls `servePetstore(context.req, context.res)`.",
    isLinked: true,
    notes: ["No middleware of Koa sees the petstore's responses", PARSERS],
    deviations: [outside(/^Not Found$/), NODE_PARSER],
  },
  {
    name: "AWS Lambda",
    file: "lambda.ts",
    runtime: NODE_24_LAMBDA,
    about:
      "Pass the listener of node:http above to `serverless-http`, behind a function URL or an HTTP API. Use a [store](stores.md) that " +
      "instances share. The tests send the events of a function URL.",
    isLinked: true,
    notes: [
      "Lambda collects the whole response, so a stream of the app must end",
    ],
    deviations: [PLAIN, ...COLLECTED],
    collectsBodies: true,
  },
  {
    name: "Azure Functions",
    file: "azure.ts",
    runtime: NODE_24_AZURE,
    isLinked: true,
    about:
      'Use version 4 of `@azure/functions`. Set `"routePrefix": ""` in `host.json`, or begin `basePath` with `/api`, which is the ' +
      "default prefix. Use a [store](stores.md) that instances share. The tests run the package as Azure's worker does, not on Azure.",
    notes: [
      "Of several cookies in one response of the app, the package keeps the last",
    ],
    deviations: [outside(/^$/), ...COLLECTED],
    collectsBodies: true,
    keepsLastCookie: true,
  },
];
