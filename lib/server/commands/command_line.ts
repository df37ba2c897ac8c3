/**
 * Reads a command line: finds its command, and checks the flags and the operand. The values of flags
 * are checked later, with those of variables. `parseArgs()` of Node only splits the words here: its
 * own checks throw errors that name the flag in prose alone, and we suggest the flag that a mistyped
 * one may mean.
 */

import { parseArgs } from "node:util";
import { commandLine, didYouMean } from "../process/messages.ts";
import { SettingError } from "../process/start_error.ts";
import { VERSION } from "../process/version.ts";
import { SWITCH } from "../settings/formats.ts";
import type { Flags, Options } from "../settings/options.ts";
import type { Command } from "./command.ts";
import { describeCommand, describeProgram } from "./help.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./table.ts";

/**
 * What a command line asks for:
 *
 * - `text`: to print a text.
 * - `command`: to run a command. It has all flags that are given, but their values are not checked
 *   yet. The operand is "" if none is given.
 */
export type Request =
  | { kind: "text"; text: string }
  | { kind: "command"; command: Command; flags: Flags; operand: string };

/**
 * Finds out what a command line asks for:
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
 * @throws {SettingError} If there is no such command, a flag is unknown, lacks its value or must not
 * have one, or there are too many or too few operands.
 */
export async function readCommandLine(words: readonly string[]): Promise<Request> {
  const [first = "", second = ""] = words;
  switch (first) {
    case "help":
      return await readCommandLine([...words.slice(1), "--help"]);
    case "version":
      return VERSION_REQUEST;
    case "keys":
      if (mayBeName(second)) return await readWords(`keys ${second}`, words.slice(2));
      return { kind: "text", text: await describeProgram() };
  }
  if (mayBeName(first)) return await readWords(first, words.slice(1));
  // The user may not know the default command, so `--help` alone describes the program.
  const asksForHelp = words.includes("--help") || words.includes("-h");
  if (asksForHelp) return { kind: "text", text: await describeProgram() };
  return await readWords(DEFAULT_COMMAND, words);
}

const VERSION_REQUEST: Request = { kind: "text", text: `petstore ${VERSION}` };

/** Whether a word may be the name of a command: it is there, and is no flag. */
export function mayBeName(word: string): boolean {
  return word !== "" && !word.startsWith("-");
}

/** @param words The words after the name of the command. */
async function readWords(name: string, words: readonly string[]): Promise<Request> {
  if (!Object.hasOwn(COMMANDS, name)) {
    // The message does not quote the name, because it may be a key.
    throw new SettingError(
      `There is no such command${didYouMean(name, Object.keys(COMMANDS))}; --help lists the commands`,
    );
  }
  const command = await COMMANDS[name]!();
  // The advice does not name the program, because the user may have started it by a task.
  const advice = `add --help to see the flags of ${name}`;
  const { flags, operands } = readFlags(words, command.options, advice);
  if (flags["version"]) return VERSION_REQUEST;
  if (flags["help"]) return { kind: "text", text: describeCommand(name, command) };
  return { kind: "command", command, flags, operand: readOperand(operands, command, advice) };
}

/** A flag as it was given. It may be unknown. */
interface GivenFlag {
  /** The name without dashes, such as `port`, `help` for `-h`, or `no-docs`. */
  name: string;
  /** The name as it was written, such as `--port` or `-h`. */
  rawName: string;
  /** Undefined if the flag was given without a value. */
  value: string | undefined;
  /** Whether the value was written in the same word, as in `--port=9000`. */
  inlineValue: boolean | undefined;
}

/**
 * Splits words into flags and operands, and collects the values of each flag.
 *
 * @param advice The end of a message about a wrong flag.
 * @throws {SettingError} If a flag is unknown, lacks its value, or is a switch and has one.
 */
export function readFlags(
  words: readonly string[],
  options: Options,
  advice: string,
): { flags: Flags; operands: string[] } {
  const types = Object.entries(options).map(([name, { format, short }]) => {
    return [name, { type: format === SWITCH ? "boolean" : "string", ...(short && { short }) }] as const;
  });
  const { tokens, positionals: operands } = parseArgs({
    args: [...words],
    options: Object.fromEntries(types),
    strict: false,
    tokens: true,
  });
  const flags: Record<string, (string | boolean)[]> = {};
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, isOn } = readName(token.name, options);
    const fault = faultOf(token, name, isOn, options);
    if (fault !== undefined) throw new SettingError(`${fault}; ${advice}`);
    (flags[name] ??= []).push(token.value ?? isOn);
  }
  return { flags, operands };
}

/** The option that a flag names, and whether the flag switches it on. The option may be unknown. */
function readName(name: string, options: Options): { name: string; isOn: boolean } {
  // `--no-docs`, `--no-port`
  const isOff = name.startsWith("no-") && !Object.hasOwn(options, name);
  if (isOff) return { name: name.slice("no-".length), isOn: false };
  // `--docs`, `--port`, `--prot`
  return { name, isOn: true };
}

/** Says what is wrong with a flag, if anything is. The words are those of `parseArgs()`. */
function faultOf(flag: GivenFlag, name: string, isOn: boolean, options: Options): string | undefined {
  const { rawName, value, inlineValue } = flag;
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  // `--prot 9000`
  if (!option) return unknownOption(rawName, name, options);
  const forms = option.short === undefined ? `--${name}` : `-${option.short}, --${name}`;
  if (option.format === SWITCH) {
    // `--docs` and `--no-docs` are right, and `--docs=on` is not.
    return value === undefined ? undefined : `Option '${forms}' does not take an argument`;
  }
  // `--no-port`
  if (!isOn) return unknownOption(rawName, name, options);
  // `--port` without a value
  if (value === undefined) return `Option '${forms} <value>' argument missing`;
  // `--store --port 9000`, where the value of `--store` is missing. `--store=--port` is right.
  if (!inlineValue && value.length > 1 && value.startsWith("-")) return `Option '${rawName}' argument is ambiguous`;
  return undefined;
}

function unknownOption(rawName: string, name: string, options: Options): string {
  const suggestion = rawName.startsWith("--") ? didYouMean(name, Object.keys(options), "--") : "";
  return `Unknown option '${rawName}'${suggestion}`;
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
