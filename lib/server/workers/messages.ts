/** What the main isolate and its workers tell each other, over one port for each worker. */

import type { MessagePort } from "node:worker_threads";
import type { WriterPort } from "../../stores/sqlite/writer_messages.ts";
import type { LimitMemory } from "../../access/rate_limit.ts";
import type { KeyPlace } from "../first_key.ts";
import type { Samples } from "../metrics/samples.ts";
import type { ServerSettings } from "../server_settings.ts";
import type { Writers } from "../writers.ts";

/** The first message to a worker. */
export interface WorkerStart {
  port: MessagePort;
  /** The address of the program that serves. */
  program: string;
  settings: ServerSettings;
  /** The environment variables that the setting of the store refers to. */
  variables: Record<string, string>;
  /** How many workers are missing. */
  missing: Int32Array;
  /** Where the workers count requests together, if they are limited. */
  limits: LimitMemory | undefined;
}

/** The steps of a worker, in this order, each with its argument. */
export interface Steps {
  /** Opens the store. */
  open: undefined;
  /** Answers requests at this address. */
  listen: { hostname: string; port: number; keyPlace: KeyPlace };
  close: undefined;
  hold: undefined;
  stop: undefined;
  /** The argument is the patience with clients, in milliseconds. */
  end: number;
}

export type Stream = keyof Writers;

export type ToWorker =
  | { [Step in keyof Steps]: { step: Step; argument: Steps[Step] } }[keyof Steps]
  /** The lines to this stream are written, or could not be. */
  | { written: Stream; failure?: string }
  /** The way to the thread that writes for all workers. Undefined if there is none. */
  | { writer: WriterPort | undefined }
  /** Whether the files of the database are in their place, in the order of the questions. */
  | { isInPlace: boolean; failure: string }
  /** That thread has ended. */
  | { isWriterLost: true };

export type FromWorker =
  /** A step is done, or the start has failed. */
  | { done: keyof Steps; failure?: { message: string; isTemporary: boolean } }
  /** Whole lines. The next ones follow when these are written. */
  | { lines: Uint8Array; stream: Stream }
  /** It asks for the way to the thread that writes, or whether the files of the database are in their place. */
  | { wants: "writer" | "check" }
  /** It has to be replaced. */
  | { died: string }
  /** It still responds. Sent once a second, with what it has counted. */
  | { beat: true; samples: Samples | undefined };

/** The time between two beats, in milliseconds. */
export const BEAT = 1_000;
