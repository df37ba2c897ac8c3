/** docs/clients.md: its commands generate the clients, and its examples are files that run. */

import assert from "node:assert/strict";
import { succeed } from "./tools.ts";
import { fetchDescription, withServer } from "./service.ts";

const PAGE = Deno.readTextFileSync(new URL("../../../docs/clients.md", import.meta.url));

/** The files that the page shows, by the path in the line before each. */
export const SHOWN: ReadonlyMap<string, string> = new Map(
  [...PAGE.matchAll(/^`([\w./]+)`:\n\n```(?:ts|yaml)\n([^]*?)```$/gm)].map((
    [, path = "", text = ""],
  ) => [path, text]),
);

/** The output of the examples, according to the page. */
export const OUTPUTS: string[] = [...PAGE.matchAll(/^```text\n([^]*?)```$/gm)].map(([, text = ""]) => text);

/** The commands that generate clients, in order. */
export const COMMANDS: string[][] = [...PAGE.matchAll(/^(?:npx|node) (.+)$/gm)]
  .map(([, line = ""]) => line.split(" "));

let made: Promise<void> | undefined;

/** Generates every client from the description of a running server, by the page's commands. Does so once. */
export function generate(): Promise<void> {
  return made ??= withServer(async (service) => {
    await Deno.remove(new URL("../generated", import.meta.url), { recursive: true }).catch(() => {});
    await fetchDescription(service);
    assert.ok(COMMANDS.length >= 5, "docs/clients.md has lost its commands");
    await Promise.all(COMMANDS.map(([program = "", ...args]) => succeed(program, args)));
  });
}
