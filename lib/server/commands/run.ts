/** The program: runs the command of a command line, and turns its failure into a line on standard error and an exit status. */

import type { Command } from "./command.ts";
import { readCommandLine } from "./command_line.ts";
import type { Context, Runtime } from "../serving/runtime.ts";
import { asJsonLine } from "../process/lines.ts";
import { asSettingError, explain } from "../process/start_error.ts";
import { DEFAULT_COMMAND } from "./table.ts";
import { type Environment, prepareEnvironment } from "../settings/environment.ts";
import { readValues } from "../settings/options.ts";
import { describeUnknownVariables } from "../settings/server_settings.ts";
import { resolvesWithin } from "../../promises.ts";
import { ignoreSignal } from "../process/process.ts";
import { createWriters, isBrokenPipe } from "../process/writers.ts";

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
  const { output, errors, report } = context;
  let command: Command | undefined;
  let status = 0;
  try {
    if (logsJson(args, runtime.environment)) errors.format = asJsonLine;
    const task = await readCommandLine(args);
    if (typeof task === "string") {
      output.add(task.trimEnd());
    } else {
      describeUnknownVariables(runtime.listVariables()).forEach(report);
      command = task.command;
      const values = readValues(command.options, task.flags, environment);
      status = await command.run(values, context, task.operand) ?? 0;
    }
    // A text, such as a help text, is the result of its run.
    if (!command?.isDoneWithoutOutput) {
      await output.flush();
      // A reader that closes the pipe, such as `head`, has got what it wanted.
      const isOutputLost = output.failure && !isBrokenPipe(output.failure);
      if (isOutputLost && status === 0) status = 1;
    }
  } catch (error) {
    const explained = asSettingError(error) ?? (command?.failure && explain(command.failure, error));
    // A command that must not fail unexpectedly has a bug.
    if (!explained) throw error;
    report(explained.message);
    status = explained.status;
  }
  // Standard error is flushed last, because it tells of a failure to write standard output.
  await resolvesWithin(FLUSH_TIMEOUT, output.flush().then(() => errors.flush()));
  return status;
}

/**
 * Whether a server is to log JSON. This looks at the words themselves, because the message about a command line that cannot be parsed must
 * be JSON too.
 */
function logsJson(words: readonly string[], environment: Environment): boolean {
  const [command = DEFAULT_COMMAND] = words;
  if (command !== DEFAULT_COMMAND && !command.startsWith("-")) return false;
  const value = words.findLast((word, i) => word.startsWith("--log=") || words[i - 1] === "--log");
  return (value?.replace("--log=", "") ?? environment("PETSTORE_LOG")) === "json";
}
