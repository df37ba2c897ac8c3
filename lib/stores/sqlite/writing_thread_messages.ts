/**
 * What a store and its thread that writes tell each other. The thread has one control port. On it, the store sends a new port, the line, and
 * waits for a greeting on that line. Then it sends one batch at a time on the line, and waits for the answer. A line ends with the thread.
 *
 * | port    | from the store                | from the thread                                                    |
 * | ------- | ----------------------------- | ------------------------------------------------------------------ |
 * | control | a line, and at last `"close"` | nothing; the port ends when the connection of the thread is closed |
 * | line    | a batch of writes             | at first `ready` or a `failure`, then `outcomes` or a `failure`    |
 */

import type { MessagePort } from "node:worker_threads";
import { StoreUnavailableError } from "../store.ts";
import type { Outcome, Write } from "../write.ts";
import type { OpenedFiles } from "./opened_files.ts";

/** The members of `MessagePort` that the web and `node:worker_threads` share. */
export interface Port<Sent, Received> {
  onmessage: ((event: { data: Received }) => void) | null;
  postMessage(message: Sent): void;
  close(): void;
  addEventListener(event: "close", listener: () => void): void;
  /** An open port keeps the process alive, unless `unref()` was called. */
  ref?(): void;
  unref?(): void;
}

/** What the thread gets when it starts. */
export interface ThreadData {
  opened: OpenedFiles;
  control: MessagePort;
}

/** A message on the control port. */
export type ControlMessage = ThreadEnd | "close";

/** The store's end of a line. */
export type StoreEnd = Port<readonly Write[], Answer>;

/** The thread's end of a line. */
export type ThreadEnd = Port<Answer, readonly Write[]>;

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

export type Answer = { kind: "ready" } | Committed | Failure;

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
