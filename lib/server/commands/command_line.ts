/** Reads a command line: finds its command with the flags, or the text that it asks for. */

import { parseArgs } from "node:util";
import { commandLine } from "../process/invocation.ts";
import { SettingError } from "../process/start_error.ts";
import { didYouMean } from "../process/suggestion.ts";
import { VERSION } from "../process/version.ts";
import type { Flags, Options } from "../settings/options.ts";
import type { Command } from "./command.ts";
import { describeCommand, describeProgram } from "./help.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./table.ts";

/** A command to run, with its arguments. The values of its flags are not checked yet. */
export interface CommandRequest {
  command: Command;
  flags: Flags;
  operand: string;
}

/** What a command line asks for if it runs no command: a text is printed. */
export interface TextRequest {
  command?: undefined;
  text: string;
}

const VERSION_REQUEST: TextRequest = { text: `petstore ${VERSION}` };

/**
 * Finds out what a command line asks for: a command, or a text to print. `help` before a command, and `--help` or `-h` after it, show its
 * help.
 *
 * @param words The arguments of the program.
 * @throws {SettingError} If there is no such command or flag, a flag lacks its value, or there are too many or too few operands.
 */
export async function readCommandLine(words: readonly string[]): Promise<CommandRequest | TextRequest> {
  const [first = "", second = ""] = words;
  if (first === "help") return await readCommandLine([...words.slice(1), "--help"]);
  if (first === "version") return VERSION_REQUEST;
  if (isNoName(first)) {
    // No command is named, so the flags are those of the default command. But `--help` describes the program, since the user may not know
    // that command.
    const asksForHelp = words.includes("--help") || words.includes("-h");
    return asksForHelp ? { text: await describeProgram() } : await readCommand(DEFAULT_COMMAND, words);
  }
  // Some names have two words, such as `keys add`. Their first word alone, as in `keys --help`, asks for the list of all commands.
  const beginsLongerName = Object.keys(COMMANDS).some((name) => name.startsWith(`${first} `));
  if (!beginsLongerName) return await readCommand(first, words.slice(1));
  if (isNoName(second)) return { text: await describeProgram() };
  return await readCommand(`${first} ${second}`, words.slice(2));
}

/** Whether a word names no command: it is a flag, or missing. */
function isNoName(word: string): boolean {
  return word === "" || word.startsWith("-");
}

/**
 * @param words The words after the name of the command.
 * @throws {SettingError} If there is no such command. The message does not quote the name, because it may be a key.
 */
async function readCommand(name: string, words: readonly string[]): Promise<CommandRequest | TextRequest> {
  if (!Object.hasOwn(COMMANDS, name)) {
    throw new SettingError(
      `There is no such command${didYouMean(name, Object.keys(COMMANDS))}; --help lists the commands`,
    );
  }
  const command = await COMMANDS[name]!();
  // The advice does not name the program, because the user may have started it by a task.
  const advice = `add --help to see the flags of ${name}`;
  const { values: flags, positionals } = parseWords(words, command.options, advice);
  if (flags["version"]) return VERSION_REQUEST;
  if (flags["help"]) return { text: describeCommand(name, command) };
  return { command, flags, operand: readOperand(positionals, command, advice) };
}

/**
 * Finds the flags among the words of a command line. Their values are not checked.
 *
 * @param advice The end of a message about a wrong flag.
 * @throws {SettingError} If a flag is unknown or lacks a value.
 */
export function parseWords(words: readonly string[], options: Options, advice: string) {
  const types = Object.entries(options).map(([name, { format, short }]) => {
    // By `multiple`, the values of each flag are a list.
    return [name, { type: format ? "string" : "boolean", multiple: true, ...(short && { short }) }] as const;
  });
  try {
    return parseArgs({
      args: [...words],
      options: Object.fromEntries(types),
      allowPositionals: true,
      allowNegative: true,
    });
  } catch (error) {
    throw new SettingError(`${describeFault((error as Error).message, options)}; ${advice}`);
  }
}

/** Says what `parseArgs()` has found wrong, and which flag an unknown one may mean. */
function describeFault(message: string, options: Options): string {
  // Only the first sentence is used: the others are advice of `parseArgs()`, which does not apply here. A dot may stand in a flag too.
  const [fault = ""] = message.split(/\.(?:\s|$)|\n/, 1);
  const [, unknown] = /^Unknown option '--(?:no-)?([^']*)'/.exec(fault) ?? [];
  return unknown === undefined ? fault : fault + didYouMean(unknown, Object.keys(options), "--");
}

/**
 * The operand of a command, or "" if none is given.
 *
 * @param advice The end of a message about a word that is not expected.
 * @throws {SettingError} If there are too many words or too few, or the operand has a control character. The messages do not quote a word,
 * because a word without a flag may be a key.
 */
function readOperand(words: readonly string[], command: Command, advice: string): string {
  const { operand: name, isOperandOptional, examples } = command;
  const [operand, ...others] = words;
  if (name === undefined) {
    if (operand !== undefined) throw new SettingError(`Only flags are expected; ${advice}`);
    return "";
  }
  if (operand === undefined && isOperandOptional) return "";
  // An operand that is given but empty is a variable of a script that is not set. It does not mean the default.
  if (operand === undefined || operand === "") {
    const example = examples[0]!.replace(/^petstore /, "");
    throw new SettingError(`Name the ${name}, as in ${commandLine(example)}`);
  }
  if (others.length > 0) throw new SettingError(`Only one ${name} is expected; ${advice}`);
  // A script with CRLF ends a name with a carriage return. The file would then not be found by the name that the user sees.
  if (/\p{Cc}/u.test(operand)) throw new SettingError(`The ${name} must not contain control characters`);
  return operand;
}
