/** Runs programs without the tester's own environment. */

import assert from "node:assert/strict";
import process from "node:process";
import { Child } from "../../../support/system/child.ts";

/** The registry of the rehearsal has no package but those that the rehearsal has published. */
const { PETSTORE_REGISTRY = "" } = process.env;
const REGISTRY = { NPM_CONFIG_REGISTRY: PETSTORE_REGISTRY, NPM_CONFIG_UPDATE_NOTIFIER: "false", NO_COLOR: "1" };

/** Starts a program. The folder is also its home, unless `env` sets another. */
export function start(command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Child {
  const PATH = process.env["PATH"] ?? "";
  return new Child(command, args, { cwd, clearEnv: true, env: { PATH, HOME: cwd, ...REGISTRY, ...env } });
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
