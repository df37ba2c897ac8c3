/** The messages between the main isolate and its workers, over one port for each worker. */

import type { MessagePort } from "node:worker_threads";
import type { OpenedFiles } from "../../stores/sqlite/file.ts";
import type { WriterPort } from "../../stores/sqlite/writer_messages.ts";
import type { LimitMemory } from "../../access/rate_limit.ts";
import type { KeyLocation } from "../first_key.ts";
import type { Samples } from "../metrics/samples.ts";
import type { ServerSettings } from "../server_settings.ts";
import type { Writers } from "../writers.ts";

/** The first message to a worker. */
export interface WorkerStart {
  port: MessagePort;
  settings: ServerSettings;
  /** The environment variables that the setting of the store refers to. */
  variables: Record<string, string>;
  /** The files of SQLite's store, which the main isolate has opened. */
  opened: OpenedFiles | undefined;
  /** How many workers are missing. */
  missing: Int32Array;
  /** The memory in which all workers count requests, if they are limited. */
  limits: LimitMemory | undefined;
}

/** The steps of a worker, in this order, each with its argument. */
export interface Steps {
  /** Opens the store. */
  open: undefined;
  /** Answers requests at this address. */
  listen: { hostname: string; port: number; keyLocation: KeyLocation };
  close: undefined;
  hold: undefined;
  stop: undefined;
  /** The argument is the time limit for clients, in milliseconds. */
  end: number;
}

export type Stream = keyof Writers;

export type ToWorker =
  | { [Step in keyof Steps]: { step: Step; argument: Steps[Step] } }[keyof Steps]
  /** The lines to this stream were written, or the write failed. */
  | { written: Stream; failure?: string }
  /** The port to the thread that writes for all workers. Undefined if none can be started. */
  | { writer: WriterPort | undefined; failure?: string }
  /** That thread has ended. */
  | { isWriterLost: true };

export type FromWorker =
  /** A step is done, or the start has failed. */
  | { done: keyof Steps; failure?: { message: string; isTemporary: boolean } }
  /** Whole lines. The next ones follow when these are written. */
  | { lines: Uint8Array; stream: Stream }
  /** Requests the port to the thread that writes. */
  | { request: "writer" }
  /** The worker has failed and must be replaced. */
  | { died: string }
  /** Sent once a second, with the worker's counts. */
  | { heartbeat: true; samples: Samples | undefined };

/** The time between two heartbeats, in milliseconds. */
export const HEARTBEAT_INTERVAL = 1_000;
