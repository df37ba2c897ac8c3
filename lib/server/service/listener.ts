/** The sockets of the server, which each runtime opens in its own way. */

import { formatAddress } from "../process/lines.ts";
import { startError, UnreachableError } from "../process/start_error.ts";
import type { Report } from "../process/writers.ts";
import type { DrainGate } from "./drain_gate.ts";

/** A listening socket. */
export interface Listener {
  /** The port at which it listens, also if the setting is 0. */
  port: number;
  /** Accepts no more connections. Resolves when the last one has ended, which a client can delay for ever. */
  stop(): Promise<void>;
}

/** What answers the requests of a listener. */
export type Gate = Pick<DrainGate, "respond">;

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
