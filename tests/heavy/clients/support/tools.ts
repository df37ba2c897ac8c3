/**
 * Programs in node_modules, which Deno runs as processes, the standalone server with pets in
 * memory, and the clients that the programs make from its description by the commands of
 * docs/clients.md.
 */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { KEY } from "../../../support/api.ts";
import { readPage, ROOT } from "../../../support/pages.ts";
import { NODE } from "../../../support/server/serve_task.ts";
import { withFreshServer } from "../../../support/server/server_process.ts";
import { Child } from "../../../support/system/child.ts";
import { hasCommand } from "../../../support/system/commands.ts";

/** The folder that the tools run in. */
const FOLDER = fileURLToPath(new URL("..", import.meta.url));

const ENVIRONMENT = {
  // No tool may contact another host.
  NO_COLOR: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  CI: "true",
  // Without this cache, each start would compile a tool anew.
  NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/node`,
};

/**
 * Runs a program of node_modules, by its name for npx, or a script of this folder: on Node if it
 * can be, or else on Deno. It must succeed. Returns the output of both streams.
 */
export async function succeed(program: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const path = program.endsWith(".ts") ? program : `${ROOT}node_modules/.bin/${program}`;
  const [command = "", ...flags] = hasCommand(NODE) ? [NODE] : [Deno.execPath(), "run", "--quiet", "-A"];
  await using child = new Child(command, [...flags, path, ...args], { cwd: FOLDER, env: { ...ENVIRONMENT, ...env } });
  const code = await child.ended;
  const output = child.written.stdout + child.written.stderr;
  assert.equal(code, 0, `${program} ${args.join(" ")}\n${output}`);
  return output;
}

/** @param use Gets the origin of the server. */
export function withServer<T>(use: (origin: string) => Promise<T>): Promise<T> {
  const parts = { args: ["--store=memory:", "--log=off"], env: { PETSTORE_KEYS: KEY } };
  return withFreshServer(parts, ({ origin }) => use(origin));
}

/** Writes a file for the tools, and returns its path in the folder. */
export function writeGenerated(name: string, text: string): string {
  mkdirSync(`${FOLDER}generated`, { recursive: true });
  writeFileSync(`${FOLDER}generated/${name}`, text);
  return `generated/${name}`;
}

/**
 * The part of the page with the commands for this folder. Those above it are for an empty one, and
 * name no configuration.
 */
const [, PAGE = ""] = readPage("docs/clients.md").split("### What is tested");

/** The output of the examples, according to the page. */
export const OUTPUTS: string[] = Array.from(PAGE.matchAll(/^```text\n([^]*?)```$/gm), ([, text = ""]) => text);

const COMMANDS = Array.from(PAGE.matchAll(/^(?:npx|node) (.+)$/gm), ([, line = ""]) => line.split(" "));

let made: Promise<void> | undefined;

/** Generates every client from the description of a running server, by the page's commands. Does so once. */
export function generate(): Promise<void> {
  return made ??= withServer(async (origin) => {
    rmSync(`${FOLDER}generated`, { recursive: true, force: true });
    writeGenerated("openapi.json", await (await fetch(`${origin}/openapi.json`)).text());
    assert.ok(COMMANDS.length >= 3, "docs/clients.md has lost its commands");
    await Promise.all(COMMANDS.map(([program = "", ...args]) => succeed(program, args)));
  });
}
