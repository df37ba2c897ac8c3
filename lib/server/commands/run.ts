/** The program: runs the command, and turns its failure into a line and an exit status. */

import { describeUnknown, readCommandLine } from "./command_line.ts";
import type { Runtime } from "../serving/runtime.ts";
import { asJsonLine, oneLine } from "../process/lines.ts";
import { explain, InterruptedError, SettingError, UnreachableError } from "../process/start_error.ts";
import { DEFAULT_COMMAND } from "./table.ts";
import { withSecretFiles } from "../settings/secret_files.ts";
import type { Environment } from "../settings/flags.ts";
import { resolvesWithin } from "../../promises.ts";
import { surviveFileLimit } from "../process/process.ts";
import { createWriters, writeAll } from "../process/writers.ts";

/** The time limit for the last lines on standard output and standard error, in milliseconds. */
const FLUSH_TIMEOUT = 1_000;

/**
 * Runs a command. A server runs until a signal ends it.
 *
 * @param args The arguments of the command line.
 * @returns The exit status: 0 after a graceful end, 2 if a setting is invalid, 1 if a later start may succeed,
 * and that of a signal which has ended the command.
 */
export async function run(args: readonly string[], runtime: Runtime): Promise<number> {
  surviveFileLimit();
  const environment = withSecretFiles(runtime.environment);
  let isLost = false;
  const writers = createWriters((stream) => (bytes) => writeAll(runtime.sinks[stream], bytes), () => isLost = true);
  const { output, errors } = writers;
  const report = (message: string) => errors.add(`petstore: ${oneLine(message)}`);
  let status = 0;
  let isResult = true;
  let failure: string | undefined;
  if (logsJson(args, runtime.environment)) errors.format = asJsonLine;
  try {
    const task = await readCommandLine(args, environment);
    if (typeof task === "string") {
      output.add(task.trimEnd());
    } else {
      describeUnknown(runtime.listVariables()).forEach(report);
      isResult = !task.command.isDoneWithoutOutput;
      failure = task.command.failure;
      status = await task.command.run(task.args, { writers, runtime: { ...runtime, environment } });
    }
    if (isResult) await output.flush();
    if (isResult && isLost) status ||= 1;
  } catch (thrown) {
    const error = failure === undefined ? thrown : explain(failure, thrown);
    if (!(error instanceof SettingError)) throw error;
    report(error.message);
    // Supervisors must not restart after 2, because the next start would fail in the same way.
    status = error instanceof UnreachableError ? 1 : 2;
    if (error instanceof InterruptedError) status = error.status;
  }
  // Standard error comes last, because it tells that standard output could not be written.
  await resolvesWithin(FLUSH_TIMEOUT, output.flush().then(() => errors.flush()));
  return status;
}

/** Whether a server is to log JSON, even if the rest of its command line is wrong. */
function logsJson(words: readonly string[], environment: Environment): boolean {
  const [command = DEFAULT_COMMAND] = words;
  if (command !== DEFAULT_COMMAND && !command.startsWith("-")) return false;
  const value = words.findLast((word, i) => word.startsWith("--log=") || words[i - 1] === "--log");
  return (value?.replace("--log=", "") ?? environment("PETSTORE_LOG")) === "json";
}
