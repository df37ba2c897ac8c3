/** Finds the command of a command line, or the text that it requests. */

import { VERSION } from "../../version.ts";
import type { CommandArguments } from "../settings/arguments.ts";
import { nearest } from "../process/nearest.ts";
import { FILE_VARIABLES } from "../settings/secret_files.ts";
import { type Environment, SETTINGS } from "../settings/flags.ts";
import { SettingError } from "../process/start_error.ts";
import { readArguments } from "./read_arguments.ts";
import type { Command } from "./command.ts";
import { describeCommand, describeGroup, describeProgram } from "./help.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./table.ts";

/** A command to run, or a text to print. */
type Task = { command: Command; args: CommandArguments } | string;

/** @throws {SettingError} If there is no such command, or its flags are invalid. */
export function readCommandLine(words: readonly string[], environment: Environment): Task {
  const [first = "", second = ""] = words;
  const isNamed = words.length > 0 && !first.startsWith("-");
  if (!isNamed && words.includes("--help")) return describeProgram(COMMANDS);
  if (!isNamed) return readCommand(DEFAULT_COMMAND, words, environment);
  if (first === "help") {
    return readCommandLine([...words.slice(1).filter((word) => !word.startsWith("-")), "--help"], environment);
  }
  const group = groupOf(first);
  if (!group) return readCommand(first, words.slice(1), environment);
  if (second === "" || second === "--help") return describeGroup(first, group);
  return readCommand(`${first} ${second}`, words.slice(2), environment);
}

function readCommand(name: string, words: readonly string[], environment: Environment): Task {
  const command = findCommand(name, words[0]);
  const args = readArguments(name, command, words, environment);
  if (args.isOn("version")) return `petstore ${VERSION}`;
  return args.isOn("help") ? describeCommand(name, command) : { command, args };
}

/**
 * Lines about variables that look like settings and are none.
 *
 * @param names All environment variables.
 */
export function describeUnknown(names: readonly string[]): string[] {
  const known = [...Object.values(SETTINGS).map(({ variable = "" }) => variable), ...FILE_VARIABLES];
  return names.filter((name) => name.startsWith("PETSTORE_") && !known.includes(name)).map((name) => {
    const similar = nearest(name, known);
    return `the variable ${name} is ignored, because no setting has it${similar ? `; did you mean ${similar}?` : ""}`;
  });
}

/** The commands that begin with this word. `undefined` if there are none, or if the word is a command itself. */
function groupOf(word: string): Record<string, Command> | undefined {
  const commands = Object.entries(COMMANDS).filter(([name]) => name.startsWith(`${word} `));
  return commands.length === 0 ? undefined : Object.fromEntries(commands);
}

/**
 * The message does not quote the words, because they may be a key.
 *
 * @param next The word after the name, which may belong to it.
 */
function findCommand(name: string, next: string | undefined): Command {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name]!;
  const names = Object.keys(COMMANDS);
  const similar = nearest(`${name} ${next}`, names) ?? nearest(name, [...names, "help"]);
  const hint = similar === undefined ? "" : ` did you mean ${similar}?`;
  throw new SettingError(`There is no such command;${hint} --help alone lists the commands`);
}
