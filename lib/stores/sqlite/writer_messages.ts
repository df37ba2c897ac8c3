import { StoreUnavailableError } from "../store.ts";
import type { Outcome, Write } from "../write.ts";

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

export type WriterPort = Port<readonly Write[], WriterReply>;
export type StorePort = Port<WriterReply, readonly Write[]>;

/**
 * What the thread says on a line: at first that it is `ready`, then the answer to each batch. An answer has the outcomes of the writes and
 * the duration of the commit alone. A `failure` may also come in place of `ready`.
 */
export type WriterReply =
  | { kind: "ready" }
  | { kind: "outcomes"; outcomes: Outcome[]; milliseconds: number }
  | { kind: "failure"; name: string; message: string; mayBeStored: boolean };

/** Describes an error as a message, because an error itself would lose its class and its name in structured cloning. */
export function failureOf(error: unknown): WriterReply {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const mayBeStored = error instanceof StoreUnavailableError && error.mayBeStored;
  return { kind: "failure", name, message, mayBeStored };
}

/** Makes the error that a message describes. Any other than a {@link StoreUnavailableError} keeps its name, but not its class. */
export function errorOf({ name, message, mayBeStored }: WriterReply & { kind: "failure" }): Error {
  const unavailable = new StoreUnavailableError(message, { mayBeStored });
  return unavailable.name === name ? unavailable : Object.assign(new Error(message), { name });
}
