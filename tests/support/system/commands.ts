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

/** Why a test is skipped that needs these commands, and what `attempt` tries; `false` if all of that is there. */
export function skipUnless(commands: string[], needs = "", attempt: () => unknown = () => {}): string | false {
  const reason = `needs ${commands.join(", ")}${needs && `, ${needs}`}`;
  if (!commands.every(hasCommand)) return reason;
  try {
    attempt();
    return false;
  } catch {
    return reason;
  }
}

/** Why a test that reads /proc must be skipped here, or `false`. */
export const NO_PROC: string | false = Deno.build.os === "linux" ? false : "only Linux has /proc";
