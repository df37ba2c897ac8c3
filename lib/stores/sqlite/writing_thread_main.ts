/**
 * The program of the thread that writes. A store has one, which its `WritingThread` starts. The thread has a connection of its own to the
 * file, and ends when the store is closed.
 */

import type { DatabaseSync } from "node:sqlite";
import { workerData } from "node:worker_threads";
import type { Write } from "../write.ts";
import type { OpenedFiles } from "./opened_files.ts";
import { WriteTransactions } from "./write_transactions.ts";
import { openSecondConnection } from "./open.ts";
import { asUnavailable } from "./errors.ts";
import { FileConnection } from "./file_connection.ts";
import { BUSY_TIMEOUT_MS } from "./transaction.ts";
import {
  type Answer,
  type ControlMessage,
  failureOf,
  type ThreadData,
  type ThreadEnd,
} from "./writing_thread_messages.ts";

/** The address of this module: a file or, if it comes from JSR, a page of the web. It is undefined where a bundler has removed it. */
export const WRITER_MODULE: string | undefined = import.meta.url;

/** The first function that the thread calls. */
export function runWriter(): void {
  const { opened, control } = workerData as ThreadData;
  /** It is undefined before the first line, and until the file could be opened. */
  let writer: ThreadWriter | undefined;
  control.on("message", (message: ControlMessage) => {
    if (message === "close") {
      writer?.close();
      control.close();
    } else {
      message.postMessage(greet(message));
    }
  });

  function greet(line: ThreadEnd): Answer {
    try {
      writer ??= new ThreadWriter(opened);
      writer.serve(line);
      return { kind: "ready" };
    } catch (error) {
      return failureOf(asUnavailable(error, opened.givenPath));
    }
  }
}

class ThreadWriter {
  readonly #db: DatabaseSync;
  readonly #transactions: WriteTransactions;

  constructor(files: OpenedFiles) {
    const opened = openSecondConnection(files);
    this.#db = opened.db;
    this.#transactions = new WriteTransactions(opened.db, new FileConnection(opened, files.givenPath));
  }

  /** Commits each batch that comes on a line, and answers it. */
  serve(line: ThreadEnd): void {
    line.onmessage = ({ data }) => line.postMessage(this.#commit(data));
  }

  /** Closes the connection. It is never the last one of the file, because the store closes its own after this thread has ended. */
  close(): void {
    this.#db.close();
  }

  #commit(writes: readonly Write[]): Answer {
    try {
      const startedAt = performance.now();
      const outcomes = this.#transactions.commit(writes, BUSY_TIMEOUT_MS);
      return { kind: "outcomes", outcomes, milliseconds: performance.now() - startedAt };
    } catch (error) {
      return failureOf(error);
    }
  }
}
