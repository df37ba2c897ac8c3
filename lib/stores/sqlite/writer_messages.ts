/** The messages between a store and the thread that writes for it. A batch is one message, and so is its reply. */

import type { MaybePromise } from "../../maybe_promise.ts";
import { StoreUnavailableError } from "../store.ts";
import type { Inserted, NewRow } from "./insert.ts";

/** The members of `MessagePort` that the web and `node:worker_threads` share. */
export interface WriterPort {
  onmessage: ((event: { data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
  /** Reports that either end has been closed, also because its thread has ended. */
  addEventListener(event: "close", listener: () => void): void;
  /** An open port keeps the process alive, unless `unref()` was called. */
  ref?(): void;
  unref?(): void;
}

/** How a store reaches the thread that writes for it. */
export interface WriterAccess {
  /**
   * Creates a port to the thread, and starts the thread if none runs. Its first message is "ready", or why the thread cannot open
   * the file; each later one is the outcomes of a batch.
   *
   * @returns Undefined if no thread can be started here.
   */
  connect(): MaybePromise<WriterPort | undefined>;
  /** Called when the store is closed, after its port. */
  close(): MaybePromise<void>;
}

export type Greeting = "ready" | Failure;

/** An error. Structured cloning would keep neither its class nor its name. */
export interface Failure {
  message: string;
  name: string;
}

/** The outcome of a create. */
export type Settled = Inserted | Failure;

/**
 * A batch of creates: the name, category and status, the key, fingerprint, retention time and earlier key of each. One flat array needs half the
 * time of an array for each create.
 */
export type WriterBatch = (string | bigint | number | undefined)[];

const LENGTH = 7;

export function encodeBatch(rows: readonly NewRow[]): WriterBatch {
  return rows.flatMap(({ row: [...row] = [undefined, undefined, undefined], request }) => {
    return [...row, request?.key, request?.fingerprint, request?.retentionMs, request?.earlierKey];
  });
}

export function decodeBatch(batch: WriterBatch): NewRow[] {
  return Array.from({ length: batch.length / LENGTH }, (_, i) => {
    const [name, categoryId, status, key, fingerprint, retentionMs, earlierKey] = batch.slice(
      i * LENGTH,
      (i + 1) * LENGTH,
    );
    return {
      row: name === undefined ? undefined : [name, categoryId, status] as NewRow["row"],
      request: key === undefined ? undefined : { key, fingerprint, retentionMs, earlierKey } as NewRow["request"],
    };
  });
}

export function toFailure(error: unknown): Failure {
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  return { message, name };
}

export function toError({ message, name }: Failure): Error {
  const error = new StoreUnavailableError(message);
  return error.name === name ? error : Object.assign(new Error(message), { name });
}
