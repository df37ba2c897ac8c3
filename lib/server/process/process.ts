/** The environment and the signals of the server's process, on Deno and Node. */

import process from "node:process";
import { mayAccess } from "../../stores/sqlite/permissions.ts";
import { InterruptedError, SettingError } from "./start_error.ts";

/** What a runtime of the server has of its process, the same on Deno and Node. */
export const PROCESS = { environment: readVariable, listVariables, waitForSignal };

/**
 * Reads an environment variable. A variable that this process may not read counts as unset.
 *
 * @throws {SettingError} If it is not UTF-8. Deno's own error would show its value, which may be
 * secret.
 */
function readVariable(variable: string): string | undefined {
  if (!mayAccess("env", variable)) return undefined;
  try {
    return process.env[variable];
  } catch {
    throw new SettingError(`${variable} is not text in UTF-8`);
  }
}

/** The names of all environment variables. Without permission to list them, there are none. */
function listVariables(): string[] {
  return mayAccess("env") ? Object.keys(process.env) : [];
}

/**
 * Keeps a signal from ending the process, and from whatever else the runtime would do. Windows has
 * neither of these signals.
 */
export function ignoreSignal(signal: "SIGUSR1" | "SIGXFSZ"): void {
  // A second listener would add nothing.
  if (process.platform !== "win32" && process.listenerCount(signal) === 0) process.on(signal, () => {});
}

/**
 * A further signal within this time, in milliseconds, counts as the same Ctrl-C, because a task
 * runner may forward it.
 */
const SAME_SIGNAL_TIME = 1000;

/**
 * Resolves at the first SIGTERM or SIGINT. One that comes more than a second later ends the process
 * at once, with status 1.
 */
function waitForSignal(): Promise<void> {
  // Windows has no SIGTERM.
  const signals = process.platform === "win32" ? ["SIGINT"] : ["SIGTERM", "SIGINT"];
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        firstAt ??= performance.now();
        if (performance.now() - firstAt > SAME_SIGNAL_TIME) process.exit(1);
        resolve();
      });
    }
  });
}

/**
 * Runs work that must be undone if the process is told to end meanwhile.
 *
 * @param work Soon after its signal is aborted, it should throw the reason of the signal, an
 * {@link InterruptedError}. If it goes on, it counts as done all the same.
 */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const abort = (signal: NodeJS.Signals) => stop.abort(new InterruptedError(signal));
  for (const signal of INTERRUPTIONS) process.on(signal, abort);
  try {
    return await work(stop.signal);
  } finally {
    // The listeners are removed last: without them, a second signal would end the process before the work is undone.
    for (const signal of INTERRUPTIONS) process.off(signal, abort);
  }
}

/** The signals that end a command. Windows has one of them. */
const INTERRUPTIONS: readonly NodeJS.Signals[] = process.platform === "win32"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];
