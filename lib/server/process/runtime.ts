/**
 * The interface by which the program uses its runtime, Deno or Node, and what is the same on both: the
 * environment and the signals of the process. The folders `deno` and `node` have the rest.
 */

import process from "node:process";
import type { RequestContext } from "../../http/context.ts";
import type { Reply } from "../../http/reply.ts";
import type { MaybePromise } from "../../promises.ts";
import { mayAccess } from "../../stores/sqlite/permissions.ts";
import { formatAddress } from "./messages.ts";
import { InterruptedError, SettingError, startError, UnreachableError } from "./start_error.ts";
import type { Report, Sinks, Writers } from "./writers.ts";

/** Looks up an environment variable. */
export type Environment = (name: string) => string | undefined;

/** What differs between Deno and Node, and what tests replace. */
export interface Runtime {
  environment: Environment;
  /** The names of all environment variables. */
  listVariables(): readonly string[];
  /** Standard output and standard error. */
  sinks: Sinks;
  /** How long requests are held before the socket closes, in milliseconds. Default: `HOLD_TIME_MS` of shutdown.ts. */
  holdTimeMs?: number;
  /**
   * Resolves when a signal tells the process to end. From the first call on, the first signal does
   * not end the process by itself.
   */
  waitForSignal(): Promise<void>;
  listen: Listen;
}

/** What a command uses of the process. The environment has the secrets in files too. */
export interface Context extends Runtime, Writers {}

/** A listening socket. */
export interface Listener {
  /** The port at which it listens, also if the setting is 0. */
  port: number;
  /** Accepts no more connections. Resolves when the last one has ended, which a client can delay for ever. */
  stop(): Promise<void>;
}

/** What answers the requests of a listener. */
export interface Gate {
  /**
   * Answers a request, and sends the reply.
   *
   * @param send The host's way to send a reply to the client. It must not throw.
   * @returns The result of `send`.
   */
  respond<Sent>(context: RequestContext, send: (reply: Reply) => Sent): MaybePromise<Sent>;
}

/** Where to listen. */
export interface Address {
  hostname: string;
  port: number;
  /** The flag by which the user sets the port, for messages. */
  flag: "--port" | "--metrics";
  /** Whether other processes may listen there too (SO_REUSEPORT). Linux then gives each connection to one of them. */
  isShared?: boolean;
}

/**
 * Listens until `stop()`, and hands each request to the gate.
 *
 * @throws {SettingError} If it cannot listen at this address.
 */
export type Listen = (
  address: Address,
  gate: Gate,
  report: Report,
) => Listener | Promise<Listener>;

/** Creates the error of a failed attempt to listen. */
export function listenError(address: Address, cause: unknown): Error {
  const { code, message } = cause as Error & { code?: string };
  const line = `Cannot listen on ${formatAddress(address)}: `;
  if (code === "EADDRINUSE") {
    return new UnreachableError(`${line}the port is in use; choose another by ${address.flag}, or 0 for a free one`);
  }
  return startError(line + message, cause);
}

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
