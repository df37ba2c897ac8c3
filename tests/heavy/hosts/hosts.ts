/** Every host that is tested here, and where its responses differ from the petstore's own. */

import {
  type Deviation,
  exactly,
  like,
  NODE_PARSER,
  noResponse,
  outside,
  undecodablePath,
  unknownMethod,
} from "../../support/http/deviation.ts";
import { BUN_RUNTIME, DENO, NODE_24, type Runtime } from "./driver/program.ts";

/** A program in programs/. */
export interface MountedHost {
  name: string;
  file: string;
  runtime: Runtime;
  deviations: readonly Deviation[];
}

const PLAIN = outside(/^Not found$/);

export const HOSTS: readonly MountedHost[] = [
  { name: "Deno.serve", file: "deno.ts", runtime: DENO, deviations: [PLAIN] },
  {
    name: "Bun.serve",
    file: "bun.ts",
    runtime: BUN_RUNTIME,
    deviations: [PLAIN, unknownMethod("gets no response: Bun closes the connection", noResponse)],
  },
  { name: "node:http", file: "node.ts", runtime: NODE_24, deviations: [PLAIN, NODE_PARSER] },
  {
    name: "Hono on Node",
    file: "node_hono.ts",
    runtime: NODE_24,
    deviations: [outside(/^404 Not Found$/, { isBasePathOurs: true }), NODE_PARSER],
  },
  {
    name: "Express 5",
    file: "express.ts",
    runtime: NODE_24,
    deviations: [outside(/<pre>Cannot [A-Z]+ /, { isBasePathOurs: true }), NODE_PARSER],
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
      undecodablePath("gets 400 `FST_ERR_BAD_URL` from Fastify", like(400, /"FST_ERR_BAD_URL"/)),
    ],
  },
];
