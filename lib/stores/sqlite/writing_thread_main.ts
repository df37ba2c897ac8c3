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

/** A connection of the thread, and the transactions on it. */
interface ThreadConnection {
  db: DatabaseSync;
  transactions: WriteTransactions;
}

/** The first function that the thread calls. */
export function runWriter(): void {
  const { files, port } = workerData as ThreadData;
  /** The connection is opened for the first batch. If that fails, the next batch tries again. */
  let connection: ThreadConnection | undefined;

  onMessage(port, (request: Request) => {
    if (request === "close") {
      // This is never the last connection of the file, because the store closes its own after this thread has ended.
      connection?.db.close();
      port.close();
    } else {
      port.postMessage(answer(request));
    }
  });

  function answer(writes: readonly Write[]): Answer {
    try {
      connection ??= connect(files);
      const startedAt = performance.now();
      const outcomes = connection.transactions.commit(writes, BUSY_TIMEOUT_MS);
      return { kind: "outcomes", outcomes, milliseconds: performance.now() - startedAt };
    } catch (error) {
      return failureOf(asUnavailable(error, files.givenPath));
    }
  }
}

function connect(files: OpenedFiles): ThreadConnection {
  const opened = openSecondConnection(files);
  const file = new FileConnection(opened, files.givenPath);
  return { db: opened.db, transactions: new WriteTransactions(opened.db, file) };
}
