/** Other tools: programs in node_modules, which Deno runs as processes. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

/** The folder that the tools run in. */
export const FOLDER = fileURLToPath(new URL("..", import.meta.url));

/** No tool may contact another host. */
const ENVIRONMENT = { NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "true" };

/** The output of a program, both streams, and its exit status. */
export interface Ended {
  code: number;
  output: string;
}

/** A program of node_modules, by its name for npx, or a script of this folder. */
export function command(program: string, args: string[], env: Record<string, string> = {}): Deno.Command {
  const path = program.endsWith(".ts") ? program : `node_modules/.bin/${program}`;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", path, ...args],
    cwd: FOLDER,
    env: { ...ENVIRONMENT, ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs a program to its end. */
export async function run(program: string, args: string[], env?: Record<string, string>): Promise<Ended> {
  const { code, stdout, stderr } = await command(program, args, env).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** Runs a program that must succeed, and returns its output. */
export async function succeed(program: string, args: string[], env?: Record<string, string>): Promise<string> {
  const { code, output } = await run(program, args, env);
  assert.equal(code, 0, `${program} ${args.join(" ")}\n${output}`);
  return output;
}
