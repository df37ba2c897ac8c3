/** Finds the command of a command line, or the text that it requests. */

import { VERSION } from "../../version.ts";
import { type CommandArguments, createArguments } from "../settings/arguments.ts";
import { FILE_VARIABLES } from "../settings/secret_files.ts";
import { type Environment, type Options, SETTINGS } from "../settings/flags.ts";
import { SettingError } from "../process/start_error.ts";
import { type Command, optionsOf } from "./command.ts";
import { describeCommand, describeGroup, describeProgram } from "./help.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./table.ts";
import { parseArgs } from "node:util";

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
  const [given = ""] = positionals;
  const isMissing = given === "" && definition.needsOperand &&
    !flags.some(([name]) => name === "help" || name === "version");
  if (isMissing) throw new SettingError(`Name the ${operand}, as in ${definition.examples[0]}`);
  return createArguments(options, new Map(flags), given, environment);
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

/** The candidate that a mistyped word probably means: it differs in one character, or has two in the wrong order. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const shorter = shortened(word);
  return candidates.find((candidate) => shortened(candidate).some((each) => shorter.includes(each)));
}

/** A word, and the word without any one of its characters. Two words that are similar have one of these in common. */
function shortened(word: string): string[] {
  return [word, ...Array.from(word, (_, i) => word.slice(0, i) + word.slice(i + 1))];
}
