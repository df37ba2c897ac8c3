/**
 * The messages between a store and the thread that writes for it. A batch is one message, and so is its response. Flat arrays need a
 * quarter of the time that an object for each create would take.
 */

import type { MaybePromise } from "../../maybe_promise.ts";
import { type IdempotentOutcome, StoreUnavailableError } from "../store.ts";
import type { Create } from "./insert.ts";

/** The members of `MessagePort` that the web and `node:worker_threads` share. */
export interface WriterPort {
  onmessage: ((event: { data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
  /** A port of `node:worker_threads` reports that its other end has been closed. */
  on?(event: "close", listener: () => void): void;
  /** An open port keeps the process alive, unless `unref()` was called. */
  ref?(): void;
  unref?(): void;
}

/** How a store reaches the thread that writes for it. */
export interface WriterAccess {
  /**
   * Creates a port to the thread, and starts the thread if none runs.
   *
   * @param onLost Called when the thread has ended without being closed.
   * @returns Undefined if no thread can be started here.
   * @throws {StoreUnavailableError} If the thread cannot open the file.
   */
  connect(onLost: () => void): Promise<WriterPort | undefined>;
  /** Called when the store is closed, after its port. */
  close(): MaybePromise<void>;
}

/** A batch of creates. */
export interface WriterBatch {
  /** The values of the rows, one row after the other. Those of a create without a row are null. */
  values: (string | bigint | null)[];
  /** The index, the key, the fingerprint and the retention time of each request. */
  requests: (number | string)[];
}

/** An error. Structured cloning would keep neither its class nor its name. */
interface Failure {
  message: string;
  name: string;
}

/** The outcome of a create. */
export type Settled = IdempotentOutcome | Failure;

/**
 * The outcomes of a batch, in its order. If all were created with consecutive ids, the first id; if the batch failed as a whole, its
 * failure.
 */
export type WriterReply = bigint | Settled[] | Failure;

const ROW = 3, REQUEST = 4;

export function encodeBatch(creates: readonly Create[]): WriterBatch {
  const values: WriterBatch["values"] = [];
  const requests: WriterBatch["requests"] = [];
  for (const [i, { row, request }] of creates.entries()) {
    if (row) values.push(row[0], row[1], row[2]);
    else values.push(null, null, null);
    if (request) requests.push(i, request.key, request.fingerprint, request.retentionMs);
  }
  return { values, requests };
}

/** The creates of a batch. They put their outcomes into `outcomes`. */
export function decodeBatch({ values, requests }: WriterBatch, outcomes: Settled[]): Create[] {
  const creates: Create[] = [];
  for (let i = 0; i * ROW < values.length; i++) {
    creates.push({
      row: values[i * ROW] === null ? undefined : values.slice(i * ROW, (i + 1) * ROW) as Create["row"],
      request: undefined,
      resolve: (outcome) => outcomes[i] = outcome,
      reject: (error) => outcomes[i] = toFailure(error),
    });
  }
  for (let i = 0; i < requests.length; i += REQUEST) {
    const [index, key, fingerprint, retentionMs] = requests.slice(i) as [number, string, string, number];
    creates[index]!.request = { key, fingerprint, retentionMs };
  }
  return creates;
}

export function encodeReply(outcomes: Settled[]): WriterReply {
  const [first] = outcomes;
  if (first === undefined || !("id" in first)) return outcomes;
  const isRun = outcomes.every((each, i) =>
    "id" in each && each.outcome === "created" && each.id === first.id + BigInt(i)
  );
  return isRun ? first.id : outcomes;
}

export function settleBatch(creates: readonly Create[], reply: WriterReply): void {
  for (const [i, { resolve, reject }] of creates.entries()) {
    if (typeof reply === "bigint") {
      resolve({ outcome: "created", id: reply + BigInt(i) });
      continue;
    }
    const settled = Array.isArray(reply) ? reply[i]! : reply;
    if ("outcome" in settled) resolve(settled);
    else reject(toError(settled));
  }
}

export function toFailure(error: unknown): Failure {
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  return { message, name };
}

function toError({ message, name }: Failure): Error {
  const error = new StoreUnavailableError(message);
  return error.name === name ? error : Object.assign(new Error(message), { name });
}
