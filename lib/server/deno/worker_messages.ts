/** The messages between the main isolate and its workers. */

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

/** What the main isolate tells a worker. */
export interface StepMessage {
  /** Each is performed once, in this order: `start` opens the store and answers requests, the others are those of a server's shutdown. */
  step: "start" | "close" | "hold" | "stop" | "end";
  /** The time limit for clients, in milliseconds. */
  timeoutMs: number;
}

/** What a worker tells the main isolate: the end of a step, whole lines, that it must be replaced, and once a second its counts. */
export type WorkerMessage =
  | { kind: "done"; step: StepMessage["step"]; failure?: { message: string; isTemporary: boolean } }
  | { kind: "lines"; stream: keyof Writers; lines: string }
  | { kind: "died"; reason: string }
  | { kind: "beat"; samples: Samples | undefined };

/** The time between two heartbeats, in milliseconds. */
export const HEARTBEAT_INTERVAL = 1_000;
