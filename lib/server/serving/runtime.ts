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

/**
 * A server. What happens to a request depends on the step after which it comes:
 *
 * - `start()`: the service answers it.
 * - `close()`: it gets 503 at once, with `Connection: close`. Requests from before are still answered.
 * - `hold()`: it waits. Its client sends nothing else meanwhile, so no request is on its way when the socket closes.
 * - `end()`: the socket is closed. The requests that wait get 503.
 */
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
  /** Lets no more requests in. Resolves when the requests in flight have been answered. */
  close(): Promise<void>;
  /** Holds the requests that come from now on until `end()`. */
  hold(): Promise<void>;
  /**
   * Closes the socket, refuses the requests that were held, and waits until clients have read their responses. It may be called without the
   * other steps, after a start that has failed.
   *
   * @param timeoutMs How long to wait for clients.
   */
  end(timeoutMs: number): Promise<void>;
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
  /** How long requests are held before the socket closes, in milliseconds. The default is a quarter of a second. */
  holdTime?: number;
  /** Resolves when a signal tells the process to end. From the first call on, the first signal does not end the process by itself. */
  ending(): Promise<void>;
  listen: Listen;
}
