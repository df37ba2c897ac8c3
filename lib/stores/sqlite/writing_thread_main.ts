/**
 * The program of the thread that writes. A store has one, which its `WritingThread` starts. The thread has a connection of its own to the
 * file, and ends when the store is closed.
 */

import type { DatabaseSync } from "node:sqlite";
import { workerData } from "node:worker_threads";
import type { Write } from "../write.ts";
import type { OpenedFiles } from "./opened_files.ts";
import { WriteTransactions } from "./write_transactions.ts";
import { asUnavailable } from "./errors.ts";
import { openSecondConnection } from "./open.ts";
import { FileConnection } from "./file_connection.ts";
import { BUSY_TIMEOUT_MS } from "./transaction.ts";
import { type Answer, failureOf, onMessage, type Request, type ThreadData } from "./writing_thread_messages.ts";

/** The address of this module: a file or, if it comes from JSR, a page of the web. It is undefined where a bundler has removed it. */
export const WRITER_MODULE: string | undefined = import.meta.url;

/** The first function that the thread calls. */
export function runWriter(): void {
  const { files, port } = workerData as ThreadData;
  const connection = new ThreadConnection(files);
  onMessage(port, (request: Request) => {
    if (request === "close") {
      connection.close();
      port.close();
    } else {
      port.postMessage(connection.commit(request));
    }
  });
}

/** The connection of the thread, which is opened for the first batch. If that fails, the next batch tries again. */
class ThreadConnection {
  readonly #files: OpenedFiles;
  #opened: { db: DatabaseSync; transactions: WriteTransactions } | undefined;

  constructor(files: OpenedFiles) {
    this.#files = files;
  }

  commit(writes: readonly Write[]): Answer {
    try {
      const { transactions } = this.#opened ??= this.#open();
      const startedAt = performance.now();
      const outcomes = transactions.commit(writes, BUSY_TIMEOUT_MS);
      return { kind: "outcomes", outcomes, milliseconds: performance.now() - startedAt };
    } catch (error) {
      return failureOf(asUnavailable(error, this.#files.givenPath));
    }
  }

  #open(): { db: DatabaseSync; transactions: WriteTransactions } {
    const opened = openSecondConnection(this.#files);
    const file = new FileConnection(opened, this.#files.givenPath);
    return { db: opened.db, transactions: new WriteTransactions(opened.db, file) };
  }

  /** Closes the connection. It is never the last one of the file, because the store closes its own after this thread has ended. */
  close(): void {
    this.#opened?.db.close();
  }
}
