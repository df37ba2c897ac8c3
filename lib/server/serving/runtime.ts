/** The interface by which the program uses its runtime, Deno or Node, and what its commands get of it. */

import type { Listen } from "../service/listener.ts";
import type { Environment } from "../settings/environment.ts";
import type { Sinks, Writers } from "../process/writers.ts";

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
