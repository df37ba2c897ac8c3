/** The program: finds the command, runs it, and turns its failure into a line and an exit status. */

import { VERSION } from "../version.ts";
import { nearest, readArguments } from "./commands/arguments.ts";
import { describeCommand, describeProgram } from "./commands/help.ts";
import type { Command, Given } from "./commands/command.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./commands/table.ts";
import type { Host } from "./host.ts";
import { oneLine } from "./log/messages.ts";
import { readVariable } from "./process.ts";
import { SettingError, UnreachableError } from "./start_error.ts";
import { within } from "./time.ts";
import { createWriters } from "./writers.ts";

/** How long writing the last lines to standard output and standard error may take, in milliseconds. */
const FLUSH_TIMEOUT = 1_000;

/**
 * Runs a command. A server runs until a signal ends it.
 *
 * @param args The arguments of the command line.
 * @returns The exit status: 0 after an orderly end, 2 if a setting is invalid, 1 if a later start may succeed.
 */
export async function run(args: readonly string[], host: Host): Promise<number> {
  let isLost = false;
  const writers = createWriters(host.sinks, () => isLost = true);
  const { output, errors } = writers;
  let status = 0;
  let isResult = true;
  try {
    const task = readCommandLine(args);
    if (typeof task === "string") {
      output.add(task.trimEnd());
    } else {
      const { command, given } = task;
      isResult = !command.serves?.(given);
      status = await command.run(given, { writers, environment: readVariable, host });
    }
    // A server has done its work even if its log is lost.
    if (isResult) await output.flush();
    if (isResult && isLost) status ||= 1;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    errors.add(`petstore: ${oneLine(error.message)}`);
    // Supervisors must not restart after 2, because the next start would fail in the same way.
    status = error instanceof UnreachableError ? 1 : 2;
  }
  await within(FLUSH_TIMEOUT, Promise.all([output.flush(), errors.flush()]).then(() => {}));
  return status;
}

const VERSION_LINE = `petstore ${VERSION}`;

type Task = { command: Command; given: Given };

/** Returns a command to run, or a text to print. */
function readCommandLine(args: readonly string[]): Task | string {
  const [first = ""] = args;
  const isNamed = args.length > 0 && !first.startsWith("-");
  if (!isNamed && args.includes("--help")) return describeProgram(COMMANDS);
  if (!isNamed && args.includes("--version")) return VERSION_LINE;
  if (first === "help") return describeOf(args[1]);
  const name = isNamed ? first : DEFAULT_COMMAND;
  const command = findCommand(name);
  const given = readArguments(name, command, isNamed ? args.slice(1) : args);
  if (given.flags.has("version")) return VERSION_LINE;
  return given.flags.has("help") ? describeCommand(name, command) : { command, given };
}

function describeOf(name: string | undefined): string {
  if (name === undefined || name.startsWith("-")) return describeProgram(COMMANDS);
  return describeCommand(name, findCommand(name));
}

/** The message does not quote the word, because it may be a key. */
function findCommand(name: string): Command {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name]!;
  const similar = nearest(name, [...Object.keys(COMMANDS), "help"]);
  const hint = similar === undefined ? "" : `; did you mean ${similar}?`;
  throw new SettingError(`There is no such command${hint || ";"} see petstore --help`);
}
