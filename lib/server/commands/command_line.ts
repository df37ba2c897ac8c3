/** Finds the command of a command line, or the text that it requests. */

import { VERSION } from "../process/version.ts";
import { type CommandArguments, createArguments } from "../settings/arguments.ts";
import { FILE_VARIABLES } from "../settings/secret_files.ts";
import { type Environment, type Options, SETTINGS } from "../settings/flags.ts";
import { SettingError } from "../process/start_error.ts";
import { type Command, optionsOf } from "./command.ts";
import { describeCommand, describeProgram } from "./help.ts";
import { suggest } from "./suggestion.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./table.ts";
import { parseArgs } from "node:util";

/** A command to run, or a text to print. */
type Task = { command: Command; args: CommandArguments } | string;

/**
 * Finds out what a command line asks for. `help` before a command, and `--help` or `-h` after it, show its help.
 *
 * @throws {SettingError} If there is no such command, or its flags are invalid.
 */
export async function readCommandLine(words: readonly string[], environment: Environment): Promise<Task> {
  const [first = "", ...rest] = words;
  if (first === "help") return await readHelp(rest);
  if (first === "version") return VERSION_LINE;
  const isNamed = first !== "" && !first.startsWith("-");
  if (!isNamed) {
    const asksForHelp = words.some((word) => HELP_FLAGS.includes(word));
    return asksForHelp ? await describeProgram(COMMANDS) : readCommand(DEFAULT_COMMAND, words, environment);
  }
  if (!isGroup(first)) return readCommand(first, rest, environment);
  const [second = "", ...others] = rest;
  if (second === "" || second === "help" || HELP_FLAGS.includes(second)) return await describeGroup(first);
  return readCommand(`${first} ${second}`, others, environment);
}

const HELP_FLAGS: readonly string[] = ["--help", "-h"];

const VERSION_LINE = `petstore ${VERSION}`;

/** Whether a word begins the names of several commands, as `keys` does. */
function isGroup(word: string): boolean {
  return Object.keys(COMMANDS).some((name) => name.startsWith(`${word} `));
}

/** The help text of a command, of a group, or without words of the program. */
async function readHelp(words: readonly string[]): Promise<string> {
  const name = words.join(" ");
  if (name === "") return await describeProgram(COMMANDS);
  return isGroup(name) ? await describeGroup(name) : describeCommand(name, await findCommand(name));
}

function describeGroup(group: string): Promise<string> {
  const commands = Object.entries(COMMANDS).filter(([name]) => name.startsWith(`${group} `));
  return describeProgram(Object.fromEntries(commands), `${group} `);
}

async function readCommand(name: string, words: readonly string[], environment: Environment): Promise<Task> {
  const command = await findCommand(name);
  const args = readArguments(name, command, words, environment);
  if (args.isOn("version")) return VERSION_LINE;
  return args.isOn("help") ? describeCommand(name, command) : { command, args };
}

/** @throws {SettingError} If there is no such command. The message does not quote the name, because it may be a key. */
async function findCommand(name: string): Promise<Command> {
  if (Object.hasOwn(COMMANDS, name)) return await COMMANDS[name]!();
  const meant = suggest(name, Object.keys(COMMANDS));
  throw new SettingError(`There is no such command${askFor(meant)}; --help lists the commands`);
}

/** The part of a message that asks for what was meant, if that is known. */
function askFor(meant: string | undefined): string {
  return meant ? ` (did you mean ${meant}?)` : "";
}

/**
 * The variables that Kubernetes and Docker set in each container for a service whose name begins with `petstore`, such as
 * `PETSTORE_SERVICE_HOST`, `PETSTORE_SERVICE_PORT_HTTP` and `PETSTORE_PORT_8000_TCP_ADDR`.
 */
const OF_SERVICES = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP|SCTP)|$)/;

/**
 * Lines about variables that look like settings and are none.
 *
 * @param names All environment variables.
 */
export function describeUnknown(names: readonly string[]): string[] {
  const known = [...Object.values(SETTINGS).map(({ variable = "" }) => variable), ...FILE_VARIABLES];
  return names.filter((name) => name.startsWith("PETSTORE_") && !known.includes(name) && !OF_SERVICES.test(name))
    .map((name) => `the variable ${name} is ignored, because no setting has it`);
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
  // The advice has no name of a program, so that it also applies to one that a task has started.
  const help = `add --help to see the flags of ${command}`;
  const { values, positionals } = parse(args, options, help);
  const flags = Object.entries(values).map(([name, given]) =>
    [name, given!.map((value) => typeof value === "string" ? value : value ? "on" : "off")] as const
  );
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
  const types = Object.entries(options).map(([name, { value, short }]) =>
    [name, { type: value === undefined ? "boolean" : "string", multiple: true, ...short && { short } }] as const
  );
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(types),
      allowPositionals: true,
      allowNegative: true,
    });
  } catch (error) {
    // The advice of `parseArgs()` is left out, because it does not apply here.
    const [fault = ""] = (error as Error).message.split(/[.\n]/, 1);
    const [, unknown] = /^Unknown option '--(?:no-)?([^']*)'/.exec(fault) ?? [];
    const meant = unknown === undefined ? undefined : suggest(unknown, Object.keys(options));
    throw new SettingError(`${fault}${askFor(meant && `--${meant}`)}; ${help}`);
  }
}
