/**
 * What a store and its thread that writes tell each other on one port. The store sends a batch of writes, and the thread answers with the
 * outcomes or a failure. There is one batch at a time. At last the store sends `"close"`, and the thread closes its connection and the port.
 */

import type { MessagePort } from "node:worker_threads";
import { StoreUnavailableError } from "../store.ts";
import type { Outcome, Write } from "../write.ts";
import type { OpenedFiles } from "./opened_files.ts";

/** What the thread gets when it starts. */
export interface ThreadData {
  files: OpenedFiles;
  port: MessagePort;
}

/** A message from the store. */
export type Request = readonly Write[] | "close";

/** The outcomes of a batch, and the duration of the commit alone. */
export interface Committed {
  kind: "outcomes";
  outcomes: Outcome[];
  milliseconds: number;
}

/** An error as a message. The error itself would lose its class in structured cloning. */
export interface Failure {
  kind: "failure";
  message: string;
  /** What the error says as a {@link StoreUnavailableError}. It is undefined if the error is a defect of this library. */
  mayBeStored: boolean | undefined;
}

/** A message from the thread. */
export type Answer = Committed | Failure;

/** Calls `receive` with each message on a port. On Deno, `port.on("message")` takes three microseconds more for each create of a batch. */
export function onMessage<Message>(port: MessagePort, receive: (message: Message) => void): void {
  Object.assign(port, { onmessage: ({ data }: { data: Message }) => receive(data) });
}

export function failureOf(error: unknown): Failure {
  if (error instanceof StoreUnavailableError) {
    return { kind: "failure", message: error.message, mayBeStored: error.mayBeStored };
  }
  return { kind: "failure", message: String(error), mayBeStored: undefined };
}

export function errorOf({ message, mayBeStored }: Failure): Error {
  return mayBeStored === undefined ? new Error(message) : new StoreUnavailableError(message, { mayBeStored });
}
