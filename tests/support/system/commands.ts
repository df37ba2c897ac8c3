/** Commands of the system, and tests that are skipped where something is missing. Deno only. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

/** Runs a command; throws what it prints on standard error if it fails. */
export function command(name: string, ...args: string[]): string {
  const { success, stdout, stderr } = new Deno.Command(name, { args }).outputSync();
  assert.ok(success, `${name} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout).trim();
}

/** Whether a command is installed. */
export function hasCommand(name: string): boolean {
  try {
    new Deno.Command(name, { args: ["--version"], stdin: "null" }).outputSync();
    return true;
  } catch {
    return false;
  }
}

/** `false` if these commands are installed and `attempt` works, otherwise the reason to skip a test. */
export function skipUnless(commands: string[], needs: string, attempt: () => unknown): string | false {
  try {
    if (commands.every((name) => hasCommand(name))) {
      attempt();
      return false;
    }
  } catch {
    // The reason is the same.
  }
  return `needs ${[...commands, needs].join(", ")}`;
}

/** `test` that skips for this reason, if any, and says so in its title. */
export function testUnless(reason: string | false): (title: string, run: (t: TestContext) => unknown) => void {
  return (title, run) =>
    void test(reason ? `${title} (skipped: ${reason})` : title, { skip: reason }, async (t) => void await run(t));
}

/** Why a test that reads /proc must be skipped here, or `false`. */
export const NO_PROC: string | false = Deno.build.os === "linux" ? false : "only Linux has /proc";
