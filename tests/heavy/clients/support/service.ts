/** The standalone server with pets in memory, and the clients that docs/clients.md makes from its description. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { KEY } from "../../../support/api.ts";
import { readPage } from "../../../support/pages.ts";
import { withFreshServer } from "../../../support/server/server_process.ts";
import { FOLDER, succeed } from "./tools.ts";

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

/** The part of the page with the commands for this folder. Those above it are for an empty one, and name no configuration. */
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
