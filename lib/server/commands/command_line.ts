/** Reads a command line in two steps, `findCommand()` and `checkWords()`. run.ts says why there are two. */

import { commandLine } from "../process/invocation.ts";
import { SettingError } from "../process/start_error.ts";
import { didYouMean } from "../process/suggestion.ts";
import { VERSION } from "../process/version.ts";
import type { Flags } from "../settings/options.ts";
import type { Command } from "./command.ts";
import { readFlags, splitWords, type Words } from "./flags.ts";
import { describeCommand, describeProgram } from "./help.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./table.ts";

/** A text that a command line asks for. */
export interface TextRequest {
  kind: "text";
  text: string;
}

/** A command, and the words after it, which are not checked yet. */
export interface FoundCommand extends Words {
  kind: "found";
  name: string;
  command: Command;
}

/** A command to run. It has all flags that are given, but their values are not checked yet. */
export interface CheckedCommand {
  kind: "checked";
  command: Command;
  flags: Flags;
  /** "" if none is given. */
  operand: string;
}

const VERSION_REQUEST: TextRequest = { kind: "text", text: `petstore ${VERSION}` };

/**
 * Finds the command of a command line, or the text that it asks for:
 *
 * | words                             | result                             |
 * | --------------------------------- | ---------------------------------- |
 * | `export pets.ndjson`              | `export`                           |
 * | `keys add --label ci`             | `keys add`                         |
 * | `--port 9000`, or no words        | `serve`, the default               |
 * | `help keys add`                   | as `keys add --help`               |
 * | `--help`, `help`, `keys`          | the text that lists all commands   |
 * | `version`                         | the version                        |
 *
 * @param words The arguments of the program.
 * @throws {SettingError} If there is no such command.
 */
export async function findCommand(words: readonly string[]): Promise<TextRequest | FoundCommand> {
  const [first = "", second = ""] = words;
  switch (first) {
    case "help":
      return await findCommand([...words.slice(1), "--help"]);
    case "version":
      return VERSION_REQUEST;
    case "keys":
      if (mayBeName(second)) return await loadCommand(`keys ${second}`, words.slice(2));
      return { kind: "text", text: await describeProgram() };
  }
  if (mayBeName(first)) return await loadCommand(first, words.slice(1));
  // The user may not know the default command, so `--help` alone describes the program.
  const asksForHelp = words.includes("--help") || words.includes("-h");
  if (asksForHelp) return { kind: "text", text: await describeProgram() };
  return await loadCommand(DEFAULT_COMMAND, words);
}

/** Whether a word may be the name of a command: it is there, and is no flag. */
function mayBeName(word: string): boolean {
  return word !== "" && !word.startsWith("-");
}

/**
 * @param words The words after the name of the command.
 * @throws {SettingError} If there is no such command. The message does not quote the name, because
 * it may be a key.
 */
async function loadCommand(name: string, words: readonly string[]): Promise<FoundCommand> {
  if (!Object.hasOwn(COMMANDS, name)) {
    throw new SettingError(
      `There is no such command${didYouMean(name, Object.keys(COMMANDS))}; --help lists the commands`,
    );
  }
  const command = await COMMANDS[name]!();
  return { kind: "found", name, command, ...splitWords(words, command.options) };
}

/**
 * Checks the words after a command, and finds out whether they ask for a text. The values of flags
 * are not checked.
 *
 * @throws {SettingError} If a flag is unknown, lacks its value or must not have one, or there are
 * too many or too few operands.
 */
export function checkWords(found: FoundCommand): TextRequest | CheckedCommand {
  const { name, command } = found;
  // The advice does not name the program, because the user may have started it by a task.
  const advice = `add --help to see the flags of ${name}`;
  const flags = readFlags(found.flags, command.options, advice);
  if (flags["version"]) return VERSION_REQUEST;
  if (flags["help"]) return { kind: "text", text: describeCommand(name, command) };
  return { kind: "checked", command, flags, operand: readOperand(found.operands, command, advice) };
}

/**
 * The operand of a command, or "" if none is given.
 *
 * @param advice The end of a message about a word that is not expected.
 * @throws {SettingError} If there are too many words or too few, or the operand has a control
 * character. The messages do not quote a word, because a word without a flag may be a key.
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
  // A script with CRLF ends a name with a carriage return. The file would then not be found by the
  // name that the user sees.
  if (/\p{Cc}/u.test(operand)) throw new SettingError(`The ${name} must not contain control characters`);
  return operand;
}
