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
import { BUSY_TIMEOUT } from "./transaction.ts";
import { failureOf, type StorePort, type WriterReply } from "./writer_messages.ts";

/** A file or, if it comes from JSR, a page of the web. */
export const WRITER_MODULE: string | undefined = import.meta.url;

export interface WriterData {
  opened: OpenedFiles;
  /** Brings a port for each line of the store, and at last "close". */
  control: MessagePort;
}

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

  /** Commits each batch that comes, and answers it. The store sends no second one before. */
  serve(port: StorePort): void {
    port.onmessage = ({ data }) => port.postMessage(this.#commit(data));
  }

  close(): void {
    this.#db.close();
  }

  #commit(writes: readonly Write[]): WriterReply {
    try {
      const begin = performance.now();
      const outcomes = this.#transactions.commit(writes, BUSY_TIMEOUT);
      return { kind: "outcomes", outcomes, milliseconds: performance.now() - begin };
    } catch (error) {
      return failureOf(error);
    }
  }
}
