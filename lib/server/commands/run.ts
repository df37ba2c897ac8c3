/**
 * The program: runs the command of a command line. A failure becomes a line on standard error and
 * an exit status. For example, `petstore --log json --port 80` goes this way:
 *
 * | step                | result                                                                    |
 * | ------------------- | ------------------------------------------------------------------------- |
 * | `logsJson()`        | true: also the faults of the command line itself are JSON                 |
 * | `readCommandLine()` | `serve` with `{ log: ["json"], port: ["80"] }`, whose values may be wrong |
 * | `readValues()`      | the `Values`: `{ log: "json", port: 80, … }`, with variables and defaults |
 * | `command.run()`     | the exit status                                                           |
 */

import { parseArgs } from "node:util";
import { resolvesWithin } from "../../promises.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { asJsonLine } from "../process/messages.ts";
import { type Context, type Environment, ignoreSignal, type Runtime } from "../process/runtime.ts";
import { codeOf, explain, SettingError, startError } from "../process/start_error.ts";
import { createWriters, isBrokenPipe, type LineWriter } from "../process/writers.ts";
import { prepareEnvironment } from "../settings/environment.ts";
import { readValues } from "../settings/options.ts";
import { describeUnknownVariables, SETTINGS } from "../settings/server_settings.ts";
import type { Command } from "./command.ts";
import { mayBeName, readCommandLine } from "./command_line.ts";
import { DEFAULT_COMMAND } from "./table.ts";

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
  let status = 0;
  try {
    if (logsJson(args, runtime.environment)) errorOutput.format = asJsonLine;
    const request = await readCommandLine(args);
    if (request.kind === "text") {
      output.add(request.text.trimEnd());
    } else {
      command = request.command;
      describeUnknownVariables(runtime.listVariables()).forEach(report);
      const values = readValues(command.options, request.flags, environment);
      status = await command.run(values, context, request.operand) ?? 0;
    }
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

/**
 * Whether the lines of a server are to be JSON, by its flag or the variable. The command line may be
 * wrong, so only its words are looked at. The last flag counts.
 */
function logsJson(args: readonly string[], environment: Environment): boolean {
  const [first = DEFAULT_COMMAND] = args;
  if (first !== DEFAULT_COMMAND && mayBeName(first)) return false;
  const { values } = parseArgs({ args: [...args], options: { log: { type: "string" } }, strict: false });
  // A last `--log` without a value is true.
  const flag = values.log === true ? undefined : values.log;
  return (flag ?? environment(SETTINGS.log.variable)) === "json";
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
