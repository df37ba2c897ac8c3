/** Every host that is tested here, and what each does in its own way. */

import assert from "node:assert/strict";
import { type Deviation, exactly, noAnswer, outside, undecodablePath, unknownMethod } from "./driver/deviation.ts";
import { BUN_RUNTIME, DENO, DENO_SERVE, NODE_24, type Runtime } from "./driver/program.ts";

/** A program in programs/, and how its answers differ from the petstore's own. */
export interface MountedHost {
  name: string;
  /** The file's name in programs/. */
  file: string;
  runtime: Runtime;
  deviations: readonly Deviation[];
  /** Header fields that it adds to every answer of the petstore. */
  adds?: Readonly<Record<string, string>>;
  /** Whether it sends short answers with `Content-Length`; otherwise they are chunked. */
  keepsLength: boolean;
}

const NODE_PARSER = unknownMethod("gets 400 without a body from Node's parser", exactly(400, ""));
const BUN_PARSER = unknownMethod("gets no answer: Bun closes the connection", noAnswer);

const SRVX_BODY: Deviation = {
  says: "After a body of unknown length that was too large, srvx reads no further and keeps the connection for five " +
    "seconds: a client that goes on sending gets its 413 late, or a connection that is reset in place of it",
  isSlow: true,
  concerns: async ({ request, caseName }) =>
    /^answers 413 to 3 MiB/.test(caseName) && request.method === "POST" &&
    (await request.clone().arrayBuffer()).byteLength > 1_048_576,
  check: (answer) => assert.ok(answer === undefined || answer.status === 413),
};

const PLAIN = outside(/^Not found$/);

export const HOSTS: readonly MountedHost[] = [
  { name: "Deno.serve", file: "deno.ts", runtime: DENO, deviations: [PLAIN], keepsLength: true },
  { name: "deno serve", file: "deno_serve.ts", runtime: DENO_SERVE, deviations: [PLAIN], keepsLength: true },
  { name: "Bun.serve", file: "bun.ts", runtime: BUN_RUNTIME, deviations: [PLAIN, BUN_PARSER], keepsLength: true },
  { name: "node:http", file: "node.ts", runtime: NODE_24, deviations: [PLAIN, NODE_PARSER], keepsLength: true },
  {
    name: "srvx",
    file: "node_srvx.ts",
    runtime: NODE_24,
    deviations: [PLAIN, NODE_PARSER, SRVX_BODY],
    keepsLength: false,
  },
  {
    name: "@hono/node-server",
    file: "node_hono_server.ts",
    runtime: NODE_24,
    deviations: [PLAIN, NODE_PARSER],
    keepsLength: true,
  },
  {
    name: "Hono",
    file: "hono.ts",
    runtime: DENO,
    deviations: [outside(/^404 Not Found$/, { isBasePathOurs: true })],
    keepsLength: true,
  },
  {
    name: "Express 5",
    file: "express.ts",
    runtime: NODE_24,
    deviations: [outside(/<pre>Cannot [A-Z]+ /, { isBasePathOurs: true }), NODE_PARSER],
    adds: { "x-powered-by": "Express" },
    keepsLength: true,
  },
  {
    name: "Fastify 5",
    file: "fastify.ts",
    runtime: NODE_24,
    deviations: [
      outside(/^{"message":"Route [A-Z]+:.* not found"/),
      unknownMethod(
        "gets 400 from Fastify",
        exactly(400, '{"error":"Bad Request","message":"Client Error","statusCode":400}'),
      ),
      undecodablePath("gets 400 `FST_ERR_BAD_URL` from Fastify, in its own words", (answer) => {
        assert.equal(answer?.status, 400);
        assert.match(answer.text, /^$|"FST_ERR_BAD_URL"/);
      }),
    ],
    keepsLength: true,
  },
  {
    name: "h3",
    file: "h3.ts",
    runtime: NODE_24,
    deviations: [
      outside(/"Cannot find any route matching /, { isBasePathOurs: true }),
      NODE_PARSER,
      undecodablePath("gets 400 from h3, in its own words", (answer) => {
        assert.equal(answer?.status, 400);
        assert.match(answer.text, /^$|^{"status":400,"message":"Bad Request"}$/);
      }),
      SRVX_BODY,
    ],
    keepsLength: false,
  },
  {
    name: "Elysia",
    file: "elysia.ts",
    runtime: BUN_RUNTIME,
    deviations: [
      outside(/^NOT_FOUND$/),
      BUN_PARSER,
    ],
    keepsLength: true,
  },
  {
    name: "Koa",
    file: "koa.ts",
    runtime: NODE_24,
    deviations: [outside(/^Not Found$/), NODE_PARSER],
    keepsLength: true,
  },
];
