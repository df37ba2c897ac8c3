/** The calls between the main isolate and its workers. */

import type { MessagePort } from "node:worker_threads";
import type { OpenedFiles } from "../../stores/sqlite/file.ts";
import type { LimitMemory } from "../../access/rate_limit.ts";
import type { PostgresTarget } from "../store/postgres_url.ts";
import type { Samples } from "../telemetry/samples.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import type { Writers } from "../process/writers.ts";

/** What a worker starts with. */
export interface WorkerStart {
  channel: MessagePort;
  /** Answers each message with a port to the thread that writes for all workers, or undefined if none can be started. */
  writer: MessagePort;
  settings: ServerSettings;
  hostname: string;
  port: number;
  /** For SQLite, the files that the main isolate has opened. */
  database: OpenedFiles | PostgresTarget;
  /** How many workers are missing. */
  missing: Int32Array;
  /** The memory in which all workers count requests, if they are limited. */
  limits: LimitMemory | undefined;
}

/** The steps of a worker, in this order, each with its argument. */
export interface Steps {
  /** Opens the store, and answers requests. */
  start: undefined;
  close: undefined;
  hold: undefined;
  stop: undefined;
  /** The argument is the time limit for clients, in milliseconds. */
  end: number;
}

export interface MainCalls {
  /** Writes whole lines. */
  write: { stream: keyof Writers; lines: string };
  /** Tells that the worker has failed and must be replaced. */
  die: string;
  /** Made once a second, with the worker's counts. */
  beat: Samples | undefined;
}

/** The time between two heartbeats, in milliseconds. */
export const HEARTBEAT_INTERVAL = 1_000;
