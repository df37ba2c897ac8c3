/** Every host that is tested here, with its program and its differences from the petstore's own responses. */

import { BUN } from "../../support/runtimes.ts";
import { NODE } from "../../support/server/serve_task.ts";
import { Child } from "../../support/system/child.ts";
import { hasCommand } from "../../support/system/commands.ts";
import { UNDECODABLE_PATH } from "../../support/conformance.ts";

/** A program in programs/. */
export interface MountedHost {
  name: string;
  file: string;
  /** The command that runs a file. */
  runtime: readonly [command: string, ...args: string[]];
  /** The base path that clients see. Default: `/v1`. */
  basePath?: string;
  /** Whether the program has nothing but the petstore. Otherwise it has a route `/hello` of its own. */
  isPetstoreAlone?: true;
  /** The cases of `@petstore/conformance` that the host breaks. docs/hosts.md names the difference. */
  broken?: readonly string[];
}

const DENO = [Deno.execPath(), "run", "-A"] as const;
const BUN_RUNTIME = [BUN] as const;
const NODE_24 = [NODE, "--disable-warning=ExperimentalWarning", "--import", "../../support/names.mjs"] as const;

export const HOSTS: readonly MountedHost[] = [
  { name: "Deno.serve", file: "deno.ts", runtime: DENO },
  { name: "Bun.serve", file: "bun.ts", runtime: BUN_RUNTIME },
  { name: "node:http", file: "node.ts", runtime: NODE_24 },
  { name: "Hono on Node", file: "node_hono.ts", runtime: NODE_24 },
  { name: "Express 5", file: "express.ts", runtime: NODE_24 },
  { name: "Fastify 5", file: "fastify.ts", runtime: NODE_24, broken: UNDECODABLE_PATH },
  {
    name: "A router of Hono that removes the prefix",
    file: "behind_prefix.ts",
    runtime: DENO,
    basePath: "/api/v1",
    isPetstoreAlone: true,
  },
  {
    name: "A petstore that is the default export, on Bun,",
    file: "default_export.ts",
    runtime: BUN_RUNTIME,
    isPetstoreAlone: true,
  },
];

/** The reason to skip a host's tests, or `false`. */
export function whyNot({ runtime: [command] }: MountedHost): string | false {
  return hasCommand(command) ? false : `${command} is not installed`;
}

export interface RunningHost extends AsyncDisposable {
  /** The origin at which it serves, such as `http://127.0.0.1:8000`. */
  origin: string;
  written: Child["written"];
}

const LISTENS = /\b(?:http:\/\/[^\s/]+:|port: )(\d+)(?=\D)/;

/** Starts a host in a process of its own. */
export async function startHost({ runtime: [command, ...args], file }: MountedHost): Promise<RunningHost> {
  const options = { cwd: import.meta.dirname ?? "", env: { PORT: "0", NO_COLOR: "1" } };
  const child = new Child(command, [...args, `programs/${file}`], options);
  const stop = () => child[Symbol.asyncDispose]();
  try {
    const [, port] = await Promise.any([child.printed(LISTENS), child.printed(LISTENS, "stderr")]);
    return { origin: `http://127.0.0.1:${port}`, written: child.written, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
