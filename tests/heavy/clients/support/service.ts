/** The standalone server with pets in memory, its description, and the clients that docs/clients.md makes from it. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { KEY } from "../../../support/api.ts";
import { readPage } from "../../../support/pages.ts";
import { withFreshServer } from "../../../support/server/server_process.ts";
import { FOLDER, succeed } from "./tools.ts";

export { KEY };

/** The addresses of the server and of its API. */
export interface Service {
  origin: string;
  /** Ends in `/v1`. */
  base: string;
}

export function withServer<T>(use: (service: Service) => Promise<T>, args: string[] = []): Promise<T> {
  const parts = { args: ["--store=memory:", "--log=off", ...args], env: { PETSTORE_KEYS: KEY } };
  return withFreshServer(parts, ({ origin }) => use({ origin, base: `${origin}/v1` }));
}

/** Writes the description of a server to a file, and returns its path in the folder. */
export async function fetchDescription({ origin }: Service, name = "openapi.json", query = ""): Promise<string> {
  return writeGenerated(name, await (await fetch(`${origin}/openapi.json${query}`)).text());
}

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
  return made ??= withServer(async (service) => {
    rmSync(`${FOLDER}generated`, { recursive: true, force: true });
    await fetchDescription(service);
    assert.ok(COMMANDS.length >= 4, "docs/clients.md has lost its commands");
    await Promise.all(COMMANDS.map(([program = "", ...args]) => succeed(program, args)));
  });
}
