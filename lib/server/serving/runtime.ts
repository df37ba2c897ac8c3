/** The interface to the runtime of the server, Deno or Node. */

import type { KeyedPetStore } from "../../stores/store.ts";
import { formatAddress } from "../process/address.ts";
import type { DrainGate } from "../http/drain_gate.ts";
import type { FirstKey } from "../keys/first_key.ts";
import type { Samples } from "../telemetry/samples.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import type { Environment } from "../settings/flags.ts";
import { PortInUseError, startError } from "../process/start_error.ts";
import type { StoreSetting } from "../store/open_store.ts";
import type { Sinks } from "../process/writers.ts";

/** Tells the operator something in a line. */
export type Report = (line: string) => void;

/** A listening socket. */
export interface Listener {
  /** The actual port, if the setting is 0. */
  port: number;
  /** Accepts no more connections. Resolves when the socket is closed. */
  stop(): Promise<void>;
  /**
   * Waits, after {@link stop}, until clients have read their last responses.
   *
   * @param timeoutMs The longest wait.
   */
  finish(timeoutMs: number): Promise<void>;
}

/** Where to listen. */
export interface Address {
  hostname: string;
  port: number;
  /** Whether other isolates of this server listen there too. Linux then gives each connection to one of them. */
  isShared?: boolean;
}

/**
 * Listens until `stop()`, and hands requests to the gate.
 *
 * @throws {SettingError} If it cannot listen at this address.
 */
export type Listen = (
  address: Address,
  gate: Pick<DrainGate, "respond">,
  report: Report,
) => Listener | Promise<Listener>;

/** What a server opens at its start. */
export interface OpenedStores {
  /** Keeps the pets. */
  store: KeyedPetStore;
  /** Keeps the API keys. It may be the same store. Undefined if only the settings have keys. */
  keyStore: KeyedPetStore | undefined;
  keyLocation: FirstKey["location"];
}

/** A server that shuts down in three steps: {@link close}, {@link hold} and {@link end}. */
export interface Server {
  /**
   * Serves.
   *
   * @param open Called when the server has its port, so that a start that fails before creates no file, and no key that is
   * never shown.
   * @returns The port.
   * @throws {SettingError} If the start fails.
   */
  start(open: () => Promise<OpenedStores>): Promise<number>;
  /** Lets no more requests in. Resolves when the requests in flight have been answered. */
  close(): Promise<void>;
  /** Holds later requests until {@link end}. */
  hold(): Promise<void>;
  /**
   * Closes the socket, refuses the requests that were held, and waits until clients have read their responses.
   *
   * @param timeoutMs How long to wait for clients.
   */
  end(timeoutMs: number): Promise<void>;
  /** The counts of each isolate that serves. */
  readMetrics(): Samples[];
}

export interface Host {
  /** The specifier of the PostgreSQL driver. */
  postgresDriver: string;
  environment: Environment;
  listVariables(): readonly string[];
  sinks: Sinks;
  /** How long requests are held before the socket closes, in milliseconds. By default a quarter of a second. */
  holdTime?: number;
  /** Resolves when the process is told to end. */
  ending(): Promise<void>;
  listen: Listen;
  /** Sends a request once. Absent if `fetch` itself does. */
  fetchOnce?: (request: Request) => Promise<Response>;
  /**
   * Lets the server make spans in this isolate, if they are wanted. Absent if another program prepares that.
   *
   * @throws {SettingError} If the host exports none, or makes spans of requests too.
   */
  prepareTraces?: (areWanted: boolean) => void;
  /** Absent if the host has no isolates that share a port. */
  createWorkerPool?: (settings: ServerSettings, storeSetting: StoreSetting, report: Report, sinks: Sinks) => Server;
}

/** Creates the error of a failed attempt to listen. */
export function listenError(address: Address, cause: unknown): Error {
  const { code, message } = cause as Error & { code?: string };
  const line = `Cannot listen on ${formatAddress(address)}: `;
  if (code === "EADDRINUSE") return new PortInUseError(`${line}the port is in use`);
  return startError(line + message, cause);
}

/** Reported if the time limit for clients expires. */
export const UNFINISHED = "stopped before all clients had finished their requests";
