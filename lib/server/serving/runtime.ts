/** The interfaces by which `serve()` uses its runtime, Deno or Node, and the server itself. */

import type { KeyedPetStore } from "../../stores/store.ts";
import type { Listen } from "../service/listener.ts";
import type { Samples } from "../telemetry/samples.ts";
import type { Environment } from "../settings/flags.ts";
import type { Sinks } from "../process/writers.ts";

/** The stores that a server opens at its start. They may be one and the same. */
export interface OpenedStores {
  /** The store of the pets. */
  store: KeyedPetStore;
  /** The store of the API keys, or undefined if only the settings have keys. */
  keyStore: KeyedPetStore | undefined;
}

/** A server of pets. Its end is in shutdown.ts. */
export interface Server {
  /**
   * Listens, opens the stores and begins to serve.
   *
   * @param open Opens the stores. It is called when the server has its port: a start that does not get the port must make no file, and
   * no key that is never shown.
   * @returns The port at which it listens.
   * @throws {SettingError} If the start fails.
   */
  start(open: () => Promise<OpenedStores>): Promise<number>;
  /**
   * Ends the server without the loss of a request.
   *
   * @param holdTimeMs How long requests are held before the socket closes. Default: {@link HOLD_TIME_MS}.
   */
  shutDown(holdTimeMs?: number): Promise<void>;
  /** Closes the socket after a start that has failed, also one that has opened none. */
  abandon(): Promise<void>;
  /** The counts until now. There are none if the settings ask for no metrics. */
  readMetrics(): Samples;
}

/** What differs between Deno and Node, and what tests replace. */
export interface Runtime {
  environment: Environment;
  /** The names of all environment variables. */
  listVariables(): readonly string[];
  /** Standard output and standard error. */
  sinks: Sinks;
  /** How long requests are held before the socket closes, in milliseconds. Default: {@link HOLD_TIME_MS}. */
  holdTimeMs?: number;
  /** Resolves when a signal tells the process to end. From the first call on, the first signal does not end the process by itself. */
  ending(): Promise<void>;
  listen: Listen;
}
