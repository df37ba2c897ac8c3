/** Reads the command line. */

import { parseArgs } from "node:util";
import { SETTINGS } from "../settings.ts";
import { SettingError } from "../start_error.ts";
import type { Command, CommandArguments } from "./command.ts";

/**
 * @param command The name, for messages.
 * @param args The arguments after the command.
 * @throws {SettingError} If a flag is unknown, or lacks a value.
 */
export function readArguments(command: string, definition: Command, args: readonly string[]): CommandArguments {
  const options = flagOptions(definition);
  // This advice also applies to a program that a task has started.
  const help = `add --help to see the flags of ${command}`;
  const flags = new Map<string, string[]>();
  const operands: string[] = [];
  try {
    const { tokens } = parseArgs({ args: [...args], options, tokens: true, allowPositionals: true });
    for (const token of tokens) {
      if (token.kind === "positional") operands.push(token.value);
      if (token.kind === "option") flags.set(token.name, [...flags.get(token.name) ?? [], token.value ?? ""]);
    }
  } catch (error) {
    // The first sentence names the problem. The rest is advice on escaping that does not apply here.
    const [problem = ""] = (error as Error).message.split(/\.\s|\n/, 1);
    const unknown = /^Unknown option '--([^']+)'/.exec(problem)?.[1];
    const similar = unknown === undefined ? undefined : nearest(unknown, Object.keys(options));
    const hint = similar === undefined ? "" : `; did you mean --${similar}?`;
    throw new SettingError(`${problem.replace(/\.$/, "")}${hint || ";"} ${help}`);
  }
  // The message does not quote the argument, because a word without a flag may be a key.
  const operandName = definition.operand;
  if (operands.length > (operandName === undefined ? 0 : 1)) {
    throw new SettingError(
      operandName === undefined ? `Only flags are expected; ${help}` : `Only one ${operandName} is expected; ${help}`,
    );
  }
  return { flags, operand: operands[0] ?? "" };
}

/** The flags of a command, as options of `parseArgs`. */
function flagOptions({ settings, flags = {} }: Command): Record<string, { type: "string" | "boolean" }> {
  const switches = settings.filter((name) => SETTINGS[name].kind === "switch");
  const entry = (name: string, hasValue: boolean) => [name, { type: hasValue ? "string" : "boolean" }] as const;
  return Object.fromEntries([
    ...settings.map((name) => entry(name, SETTINGS[name].kind !== "switch")),
    ...switches.map((name) => entry(`no-${name}`, false)),
    ...Object.entries(flags).map(([name, { value }]) => entry(name, value !== undefined)),
    ...["help", "version"].map((name) => entry(name, false)),
  ]);
}

/** The candidate that a mistyped word probably means: at most a third of it differs. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const distances = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }));
  const [best] = distances.sort((one, other) => one.distance - other.distance);
  return best && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined;
}

/** How many characters to insert, remove, replace or swap with the next one (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwap ? before[column - 2]! + 1 : Infinity,
      ));
    }
    [before, last] = [last, current];
  }
  return last[other.length]!;
}
