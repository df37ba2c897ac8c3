/** Every host that is tested here, and where its responses differ from the petstore's own. */

import { UNDECODABLE_PATH } from "../../support/conformance.ts";
import { BUN_RUNTIME, DENO, NODE_24, type Runtime } from "./driver/program.ts";

/** A program in programs/. */
export interface MountedHost {
  name: string;
  file: string;
  runtime: Runtime;
  /** The cases of `@petstore/conformance` that the host breaks, by the difference that docs/hosts.md names. */
  differs?: Readonly<Record<string, readonly string[]>>;
}

export const HOSTS: readonly MountedHost[] = [
  { name: "Deno.serve", file: "deno.ts", runtime: DENO },
  { name: "Bun.serve", file: "bun.ts", runtime: BUN_RUNTIME },
  { name: "node:http", file: "node.ts", runtime: NODE_24 },
  { name: "Hono on Node", file: "node_hono.ts", runtime: NODE_24 },
  { name: "Express 5", file: "express.ts", runtime: NODE_24 },
  {
    name: "Fastify 5",
    file: "fastify.ts",
    runtime: NODE_24,
    differs: { "A path that does not decode (`%zz`) gets 400 `FST_ERR_BAD_URL` from Fastify": UNDECODABLE_PATH },
  },
];
