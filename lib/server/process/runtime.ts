/**
 * The interface by which the program uses its runtime, Deno or Node: the process, and the sockets of
 * the server. The folders `deno` and `node` implement it.
 */

import type { RequestContext } from "../../http/context.ts";
import type { Reply } from "../../http/reply.ts";
import type { MaybePromise } from "../../promises.ts";
import { formatAddress } from "./messages.ts";
import { startError, UnreachableError } from "./start_error.ts";
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
