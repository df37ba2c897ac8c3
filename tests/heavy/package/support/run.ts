/** Runs programs without the tester's own environment. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Client, createClient } from "../../../../packages/client/mod.ts";
import { Child } from "../../../support/system/child.ts";

/** The registry of the rehearsal has no package but those that the rehearsal has published. */
const { PETSTORE_REGISTRY = "" } = process.env;
const REGISTRY = { NPM_CONFIG_REGISTRY: PETSTORE_REGISTRY, NPM_CONFIG_UPDATE_NOTIFIER: "false", NO_COLOR: "1" };

/** Starts a program. The folder is also its home, unless `env` sets another. */
export function start(command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Child {
  const PATH = process.env["PATH"] ?? "";
  return new Child(command, args, { cwd, clearEnv: true, env: { PATH, HOME: cwd, ...REGISTRY, ...env } });
}

/** A client of a server that has a new key in its folder. */
export async function clientOf(server: Child, folder: string): Promise<Client> {
  const [, baseUrl = ""] = await server.printed(/listens on (http:\S+)$/m);
  await server.printed(/^ {2}try .*$/m);
  return createClient({ baseUrl, key: readFileSync(join(folder, "data", "api-key"), "utf8").trim() });
}

export async function run(...program: Parameters<typeof start>): Promise<Child["written"] & { status: number }> {
  await using child = start(...program);
  return { status: await child.ended, ...child.written };
}

export async function succeed(...program: Parameters<typeof start>): Promise<Child["written"]> {
  const { status, ...written } = await run(...program);
  assert.equal(status, 0, written.stdout + written.stderr);
  return written;
}
