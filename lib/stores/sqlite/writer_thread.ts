/**
 * The program of the thread that writes. A store has one, which its `WriterOwner` starts. The thread has a connection of its own to the
 * file, and ends when the store is closed.
 */

import type { DatabaseSync } from "node:sqlite";
import { type MessagePort, workerData } from "node:worker_threads";
import type { Write } from "../write.ts";
import type { OpenedFiles } from "./file.ts";
import { WriteTransactions } from "./write_transactions.ts";
import { openSecondConnection } from "./open.ts";
import { FileWatch } from "./file_watch.ts";
import { BUSY_TIMEOUT_MS } from "./transaction.ts";
import { failureOf, type StorePort, type WriterReply } from "./writer_messages.ts";

/** The address of this module: a file or, if it comes from JSR, a page of the web. It is undefined where a bundler has removed it. */
export const WRITER_MODULE: string | undefined = import.meta.url;

/** What the thread gets when it starts. */
export interface WriterData {
  opened: OpenedFiles;
  /** The port that brings a port for each line of the store, and at last "close". */
  control: MessagePort;
}

/** The first function that the thread calls. */
export function runWriter(): void {
  const { opened, control } = workerData as WriterData;
  let writer: ThreadWriter | undefined;
  const serve = (port: StorePort): WriterReply => {
    try {
      writer ??= new ThreadWriter(opened);
      writer.serve(port);
      return { kind: "ready" };
    } catch (error) {
      return failureOf(error);
    }
  };
  control.on("message", (message: StorePort | "close") => {
    if (message !== "close") return message.postMessage(serve(message));
    writer?.close();
    control.close();
  });
}

class ThreadWriter {
  readonly #db: DatabaseSync;
  readonly #transactions: WriteTransactions;

  constructor(opened: OpenedFiles) {
    const { db } = openSecondConnection(opened);
    this.#db = db;
    this.#transactions = new WriteTransactions(db, new FileWatch({ db, files: opened }, opened.givenPath));
  }

  /** Commits each batch that comes on a line, and answers it. The store sends the next batch after the answer. */
  serve(port: StorePort): void {
    port.onmessage = ({ data }) => port.postMessage(this.#commit(data));
  }

  close(): void {
    this.#db.close();
  }

  #commit(writes: readonly Write[]): WriterReply {
    try {
      const startedAt = performance.now();
      const outcomes = this.#transactions.commit(writes, BUSY_TIMEOUT_MS);
      return { kind: "outcomes", outcomes, milliseconds: performance.now() - startedAt };
    } catch (error) {
      return failureOf(error);
    }
  }
}
