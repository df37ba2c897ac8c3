/** The program: runs the command of a command line, and turns its failure into a line on standard error and an exit status. */

import type { Command } from "./command.ts";
import { findCommand, readRequest, type TextRequest, type UncheckedRequest } from "./command_line.ts";
import type { Context, Runtime } from "../serving/runtime.ts";
import { asJsonLine } from "../process/lines.ts";
import { codeOf, explain, SettingError, startError } from "../process/start_error.ts";
import { type Environment, prepareEnvironment } from "../settings/environment.ts";
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
 * @returns The exit status: 0 after success or a graceful end, 1 if a later attempt may succeed, 2 if none can, such as for an invalid
 * setting, and 128 and more if a signal has ended the command. A command may also return a status of its own.
 */
export async function run(args: readonly string[], runtime: Runtime): Promise<number> {
  // With a write beyond `ulimit -f`, the system sends this signal, which would end the process. The write itself fails, which is reported.
  ignoreSignal("SIGXFSZ");
  const environment = prepareEnvironment(runtime.environment);
  const context: Context = { ...runtime, ...createWriters(runtime.sinks), environment };
  const { output, errorOutput, report } = context;
  let command: Command | undefined;
  let status: number;
  try {
    const found = await findCommand(args);
    if (found.kind === "unchecked") {
      command = found.command;
      // This comes before the flags are checked, so that a fault of a flag is told as JSON too.
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
async function printOrRun(found: TextRequest | UncheckedRequest, context: Context): Promise<number> {
  const request = found.kind === "unchecked" ? readRequest(found) : found;
  if (request.kind === "text") {
    context.output.add(request.text.trimEnd());
    return 0;
  }
  describeUnknownVariables(context.listVariables()).forEach(context.report);
  return await request.command.run(request.flags, context, request.operand) ?? 0;
}

/** Whether something of the output could not be written. A reader that closes the pipe, such as `head`, has got what it wanted. */
async function isLost(output: LineWriter): Promise<boolean> {
  await output.flush();
  return output.failure !== undefined && !isBrokenPipe(output.failure);
}

/**
 * The failure for the operator: an error that explains itself, an unexpected one of a command that says what has failed, or one of the system.
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
function logsJson({ command, flags }: UncheckedRequest, environment: Environment): boolean {
  const variable = command.options["log"]?.variable;
  if (variable === undefined) return false;
  const flag = flags.findLast(({ name }) => name === "log");
  return (flag?.value ?? environment(variable)) === "json";
}
