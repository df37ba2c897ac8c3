/** Finds the command of a command line, or the text that it requests. */

import { VERSION } from "../../version.ts";
import { SettingError } from "../start_error.ts";
import { nearest, readArguments } from "./arguments.ts";
import type { Command, CommandArguments } from "./command.ts";
import { describeCommand, describeGroup, describeProgram } from "./help.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./table.ts";

const VERSION_LINE = `petstore ${VERSION}`;

/**
 * Returns a command to run, or a text to print.
 *
 * @throws {SettingError} If there is no such command, or its flags are invalid.
 */
export function readCommandLine(args: readonly string[]): { command: Command; parsed: CommandArguments } | string {
  const [first = "", second = ""] = args;
  const isNamed = args.length > 0 && !first.startsWith("-");
  if (!isNamed && args.includes("--help")) return describeProgram(COMMANDS);
  if (!isNamed && args.includes("--version")) return VERSION_LINE;
  if (first === "help") return readCommandLine([...args.slice(1).filter((word) => !word.startsWith("-")), "--help"]);
  if (!isNamed) return readCommand(DEFAULT_COMMAND, args);
  const group = groupOf(first);
  if (!group) return readCommand(first, args.slice(1));
  if (second === "" || second === "--help") return describeGroup(first, group);
  return readCommand(`${first} ${second}`, args.slice(2));
}

function readCommand(name: string, args: readonly string[]): ReturnType<typeof readCommandLine> {
  const command = findCommand(name);
  const parsed = readArguments(name, command, args);
  if (parsed.flags.has("version")) return VERSION_LINE;
  return parsed.flags.has("help") ? describeCommand(name, command) : { command, parsed };
}

/** The commands that begin with this word. `undefined` if there are none, or if the word is a command itself. */
function groupOf(word: string): Record<string, Command> | undefined {
  const commands = Object.entries(COMMANDS).filter(([name]) => name.startsWith(`${word} `));
  return commands.length === 0 ? undefined : Object.fromEntries(commands);
}

/** The message does not quote the words, because they may be a key. */
function findCommand(name: string): Command {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name]!;
  const similar = nearest(name, [...Object.keys(COMMANDS), "help"]);
  const hint = similar === undefined ? "" : `; did you mean ${similar}?`;
  throw new SettingError(`There is no such command${hint || ";"} --help alone lists the commands`);
}
