/** What the server needs of its runtime, Deno or Node, and what a server is. */

import type { KeyedPetStore } from "../../stores/store.ts";
import type { Listen } from "../service/listener.ts";
import type { Samples } from "../telemetry/samples.ts";
import type { Environment } from "../settings/flags.ts";
import type { Sinks } from "../process/writers.ts";

/** What a server opens at its start. */
export interface OpenedStores {
  /** The store of the pets. */
  store: KeyedPetStore;
  /** Keeps the API keys. It may be the same store. Undefined if only the settings have keys. */
  keyStore: KeyedPetStore | undefined;
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
  /** The counts so far; empty without metrics. */
  readMetrics(): Samples;
}

export interface Runtime {
  environment: Environment;
  listVariables(): readonly string[];
  sinks: Sinks;
  /** How long requests are held before the socket closes, in milliseconds. By default a quarter of a second. */
  holdTime?: number;
  /** Resolves when the process is told to end. */
  ending(): Promise<void>;
  listen: Listen;
}
