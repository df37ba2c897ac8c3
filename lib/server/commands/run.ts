/**
 * The program: runs the command of a command line. A failure becomes a line on standard error and
 * an exit status. For example, `petstore --log json --port 80` goes this way:
 *
 * | step            | result                                                                         |
 * | --------------- | ------------------------------------------------------------------------------ |
 * | `findCommand()` | a `FoundCommand`: `serve`, and the flags as given, of which any may be unknown |
 * | `checkWords()`  | a `CheckedCommand`: `serve` with `{ log: ["json"], port: ["80"] }`             |
 * | `readValues()`  | the `Values`: `{ log: "json", port: 80, … }`, with variables and defaults      |
 * | `command.run()` | the exit status                                                                |
 *
 * The first two steps may also find that a text is asked for, such as by `--help`. They are two
 * because the program learns from the first how to print failures: the faults of
 * `--log json --prot 80` must be JSON too.
 */

import type { Command } from "./command.ts";
import { checkWords, findCommand, type FoundCommand, type TextRequest } from "./command_line.ts";
import type { Context, Runtime } from "../serving/runtime.ts";
import { asJsonLine } from "../process/lines.ts";
import { codeOf, explain, SettingError, startError } from "../process/start_error.ts";
import { type Environment, prepareEnvironment } from "../settings/environment.ts";
import { readValues } from "../settings/options.ts";
import { describeUnknownVariables } from "../settings/server_settings.ts";
import { resolvesWithin } from "../../promises.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { ignoreSignal } from "../process/process.ts";
import { createWriters, isBrokenPipe, type LineWriter } from "../process/writers.ts";

/** The time limit for the last lines on standard output and standard error, in milliseconds. */
const FLUSH_TIMEOUT = 1_000;

/**
 * Runs a command. A server runs until a signal ends it.
 *
 * @param args The arguments of the command line.
 * @returns The exit status: 0 after success or a graceful end, 1 if a later attempt may succeed, 2
 * if none can, such as for an invalid setting, and 128 and more if a signal has ended the command.
 * A command may also return a status of its own.
 */
export async function run(args: readonly string[], runtime: Runtime): Promise<number> {
  // With a write beyond `ulimit -f`, the system sends this signal, which would end the process. The
  // write itself fails, which is reported.
  ignoreSignal("SIGXFSZ");
  const environment = prepareEnvironment(runtime.environment);
  const context: Context = { ...runtime, ...createWriters(runtime.sinks), environment };
  const { output, errorOutput, report } = context;
  let command: Command | undefined;
  let status: number;
  try {
    const found = await findCommand(args);
    if (found.kind === "found") {
      command = found.command;
      if (logsJson(found, runtime.environment)) errorOutput.format = asJsonLine;
    }
    status = await printOrRun(found, context);
    const mustReachReader = status === 0 && !command?.mayLoseOutput;
    if (mustReachReader && await isLost(output)) status = 1;
  } catch (error) {
    const failure = explainFailure(error, command);
    report(failure.message);
    status = failure.status;
  }
  // Standard error is flushed last, because it tells of a failure to write standard output.
  await resolvesWithin(FLUSH_TIMEOUT, output.flush().then(() => errorOutput.flush()));
  return status;
}

/** Prints the text that a command line asks for, or runs its command. */
async function printOrRun(found: TextRequest | FoundCommand, context: Context): Promise<number> {
  const checked = found.kind === "found" ? checkWords(found) : found;
  if (checked.kind === "text") {
    context.output.add(checked.text.trimEnd());
    return 0;
  }
  describeUnknownVariables(context.listVariables()).forEach(context.report);
  const { command, flags, operand } = checked;
  const values = readValues(command.options, flags, context.environment);
  return await command.run(values, context, operand) ?? 0;
}

/**
 * Whether something of the output could not be written. A reader that closes the pipe, such as
 * `head`, has got what it wanted.
 */
async function isLost(output: LineWriter): Promise<boolean> {
  await output.flush();
  return output.failure !== undefined && !isBrokenPipe(output.failure);
}

/**
 * The failure for the operator: an error that explains itself, an unexpected one of a command that
 * says what has failed, or one of the system.
 *
 * @throws Any other error, because it is a bug of the program.
 */
function explainFailure(error: unknown, command: Command | undefined): SettingError {
  if (error instanceof SettingError) return error;
  // The message of a store names its file or database.
  if (error instanceof StoreUnavailableError) return startError(error.message, error);
  if (command?.failure) return explain(command.failure, error);
  // An error of the system, such as for a working directory that was deleted, is no bug.
  if (/^E[A-Z0-9]+$/.test(String(codeOf(error)))) return explain("The program cannot go on", error);
  throw error;
}

/** Whether a server is to log JSON, by its flag or the variable. The last flag counts. */
function logsJson({ command, flags }: FoundCommand, environment: Environment): boolean {
  const variable = command.options["log"]?.variable;
  if (variable === undefined) return false;
  const flag = flags.findLast(({ name }) => name === "log");
  return (flag?.value ?? environment(variable)) === "json";
}
