/** Reads the command line. */

import { parseArgs } from "node:util";
import { type CommandArguments, createArguments } from "../settings/arguments.ts";
import type { Environment, Options } from "../settings/flags.ts";
import { nearest } from "../process/nearest.ts";
import { SettingError } from "../process/start_error.ts";
import { type Command, optionsOf } from "./command.ts";

/**
 * @param command The name, for messages.
 * @param args The arguments after the command.
 * @throws {SettingError} If a flag is unknown, or lacks a value.
 */
export function readArguments(
  command: string,
  definition: Command,
  args: readonly string[],
  environment: Environment,
): CommandArguments {
  const options = optionsOf(definition);
  // This advice also applies to a program that a task has started.
  const help = `add --help to see the flags of ${command}`;
  const { values, positionals } = parse(args, options, help);
  const flags = Object.entries(values).map(([name, given]) => [name, given!.map(textOf)] as const);
  const { operand } = definition;
  // The message does not quote the argument, because a word without a flag may be a key.
  if (positionals.length > (operand === undefined ? 0 : 1)) {
    throw new SettingError(`Only ${operand === undefined ? "flags are" : `one ${operand} is`} expected; ${help}`);
  }
  return createArguments(options, new Map(flags), positionals[0] ?? "", environment);
}

function parse(args: readonly string[], options: Options, help: string) {
  const types = Object.entries(options).map(([name, { value }]) =>
    [name, { type: value === undefined ? "boolean" : "string", multiple: true }] as const
  );
  try {
    return parseArgs({
      ...{ args: [...args], options: Object.fromEntries(types) },
      ...{ allowPositionals: true, allowNegative: true },
    });
  } catch (error) {
    const fault = describeFault((error as Error).message, options);
    // A question ends a sentence.
    throw new SettingError(fault.endsWith("?") ? `${fault} A${help.slice(1)}` : `${fault}; ${help}`);
  }
}

/** @param message Of `parseArgs`, which names the flag in quotes, and gives advice that does not apply here. */
function describeFault(message: string, options: Options): string {
  const flag = /'(-[^' ]*)/.exec(message)?.[1] ?? "";
  const name = flag.slice(2);
  if (message.startsWith("Unknown")) {
    const similar = nearest(name, Object.keys(options).flatMap((each) => [each, `no-${each}`]));
    return `There is no flag ${flag}${similar === undefined ? "" : `; did you mean --${similar}?`}`;
  }
  if (options[name]?.value === undefined) return `${flag} takes no value; write ${flag} or --no-${name}`;
  return `${flag} needs a value; one that begins with a dash follows an equals sign, as in ${flag}=-1`;
}

function textOf(value: string | boolean): string {
  return typeof value === "string" ? value : value ? "on" : "off";
}
