/**
 * The thread that commits creates, so that no read waits for the disk. It has its own connection, and is the only writer of its
 * process. `start_writer.ts` starts it.
 */

import type { DatabaseSync } from "node:sqlite";
import { type MessagePort, workerData } from "node:worker_threads";
import { Batch } from "../batch.ts";
import { Transactions } from "./commit.ts";
import type { OpenedFiles } from "./file.ts";
import { openSecondConnection } from "./open.ts";
import { FileWatch } from "./schema.ts";
import {
  decodeBatch,
  encodeReply,
  type Settled,
  toFailure,
  type WriterBatch,
  type WriterPort,
  type WriterReply,
} from "./writer_messages.ts";

/** The address of this module: a file or, if it comes from JSR, a page of the web. */
export const WRITER_MODULE: string | undefined = import.meta.url;

/** The data that a thread starts with. */
export interface WriterData {
  opened: OpenedFiles;
  /** The port to the owner. */
  control: MessagePort;
}

/** A message from the owner: a port of another store, or the request to end. */
export type OwnerMessage = { port: WriterPort } | "close";

/** A message to the owner. */
export type ThreadMessage = "ready" | "closed" | { failed: string };

/** A batch, and the port for its reply. */
interface Job {
  port: WriterPort;
  batch: WriterBatch;
}

/**
 * The pause between attempts to get the write lock, in milliseconds. Shorter than on a thread that serves: a program that commits
 * without pausing releases the lock only for moments.
 */
const RETRY_PAUSE = 0.2;

/**
 * After this many creates, the thread releases its cached pages. In Deno's SQLite, all connections of a process share one cache
 * (SQLITE_ENABLE_MEMORY_MANAGEMENT). New pages take it over, and it then keeps none for the connections that read.
 */
const CREATES_PER_RELEASE = 5_000;

/** Runs in the thread. */
export function runWriter(): void {
  const { opened, control } = workerData as WriterData;
  const post = (message: ThreadMessage) => control.postMessage(message);
  try {
    const { db } = openSecondConnection(opened);
    const writer = new ThreadWriter(db, new FileWatch({ db, files: opened }, opened.givenPath));
    control.on("message", (message: OwnerMessage) => {
      if (message !== "close") return writer.serve(message.port);
      writer.close();
      post("closed");
    });
    post("ready");
  } catch (error) {
    post({ failed: toFailure(error).message });
  }
}

/** Puts the batches of several stores into one transaction. */
class ThreadWriter {
  readonly #db: DatabaseSync;
  readonly #transactions: Transactions;
  #unreleased = 0;
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));
  #portCount = 0;
  /** The ports of the stores in the last transaction. */
  #lastPorts = new Set<WriterPort>();
  readonly #batch = new Batch<Job>({ resource: "the disk", commit: (jobs) => this.#commitAll(jobs) });

  constructor(db: DatabaseSync, watch: FileWatch) {
    this.#db = db;
    this.#transactions = new Transactions(db, watch);
  }

  serve(port: WriterPort): void {
    this.#portCount++;
    port.on?.("close", () => this.#portCount--);
    port.onmessage = ({ data }) => {
      const job = { port, batch: data as WriterBatch };
      // A store sends no second batch before its first is answered, so there is nothing to wait for.
      if (this.#portCount === 1 || this.#batch.isClosed) this.#commit([job]);
      else this.#batch.add(job);
    };
  }

  close(): void {
    void this.#batch.close();
    this.#db.close();
  }

  #commitAll(jobs: readonly Job[]): void {
    const startedAt = performance.now();
    this.#commit(jobs);
    // The stores of the transaction before have sent their next batches meanwhile, or are about to.
    const ports = new Set(jobs.map(({ port }) => port));
    this.#batch.expect(ports.union(this.#lastPorts).size, performance.now() - startedAt);
    this.#lastPorts = ports;
  }

  #commit(jobs: readonly Job[]): void {
    const replies = this.#write(jobs);
    for (const [i, { port }] of jobs.entries()) port.postMessage(replies[i]);
  }

  #write(jobs: readonly Job[]): WriterReply[] {
    const outcomes = jobs.map((): Settled[] => []);
    try {
      const creates = jobs.flatMap(({ batch }, i) => decodeBatch(batch, outcomes[i]!));
      // Waits for another program's lock. This blocks this thread only.
      while (!this.#transactions.commit(creates)) Atomics.wait(this.#pause, 0, 0, RETRY_PAUSE);
      this.#releasePages(creates.length);
      return outcomes.map(encodeReply);
    } catch (error) {
      // A defect must not end the thread, or leave a batch without a reply.
      return jobs.map(() => toFailure(error));
    }
  }

  #releasePages(created: number): void {
    this.#unreleased += created;
    if (this.#unreleased < CREATES_PER_RELEASE) return;
    this.#unreleased = 0;
    this.#db.exec("PRAGMA shrink_memory");
  }
}
