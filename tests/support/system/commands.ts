/** Commands of the system, and why a test is skipped where something is missing. Deno only. */

import assert from "node:assert/strict";

export { testUnless } from "../test_with.ts";

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

/** Why a test that reads /proc must be skipped here, or `false`. */
export const NO_PROC: string | false = Deno.build.os === "linux" ? false : "only Linux has /proc";
