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

/** An error as a message. The error itself would lose its class and its name in structured cloning. */
export interface Failure {
  kind: "failure";
  name: string;
  message: string;
  mayBeStored: boolean;
}

/** A message from the thread. */
export type Answer = Committed | Failure;

/** Calls `receive` with each message on a port. On Deno, `port.on("message")` takes three microseconds more for each create of a batch. */
export function onMessage<Message>(port: MessagePort, receive: (message: Message) => void): void {
  Object.assign(port, { onmessage: ({ data }: { data: Message }) => receive(data) });
}

export function failureOf(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const mayBeStored = error instanceof StoreUnavailableError && error.mayBeStored;
  return { kind: "failure", name, message, mayBeStored };
}

/** Makes the error of a failure. Any other than a {@link StoreUnavailableError} keeps its name, but not its class. */
export function errorOf({ name, message, mayBeStored }: Failure): Error {
  const unavailable = new StoreUnavailableError(message, { mayBeStored });
  return unavailable.name === name ? unavailable : Object.assign(new Error(message), { name });
}
