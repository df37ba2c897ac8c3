/**
 * The program of the thread that writes. The `Writer` of a store starts it, and sends it batches.
 * The thread has a connection of its own to the file.
 */

import type { Outcome, Write } from "../database/writing_store.ts";
import { explained } from "./errors.ts";
import { openSecondConnection } from "./open.ts";
import type { OpenedFiles } from "./opened_files.ts";
import { startThread } from "./start_thread.ts";
import { answerRequests, type Thread } from "./thread.ts";
import { BUSY_TIMEOUT_MS } from "./transaction.ts";
import { WriteTransactions } from "./write_transactions.ts";

/** The outcomes of a batch, and the duration of its commit alone. */
export interface Committed {
  outcomes: Outcome[];
  milliseconds: number;
}

/** Commits the batches that it is sent. The request `close` closes its connection, and commits nothing. */
export type WritingThread = Thread<readonly Write[] | "close", Committed>;

/** Starts the thread, or returns undefined if {@link startThread} cannot. */
export function startWritingThread(files: OpenedFiles): WritingThread | undefined {
  return startThread(import.meta.url, files);
}

/** The first function that the thread calls. */
export function runInThread(): void {
  /** The connection for the transactions is opened for the first batch. If that fails, the next batch tries again. */
  let transactions: WriteTransactions | undefined;

  answerRequests((request: readonly Write[] | "close", files: OpenedFiles): Committed => {
    if (request === "close") {
      // This is never the last connection of the file, because the store closes its own after this thread has ended.
      transactions?.connection.db.close();
      return { outcomes: [], milliseconds: 0 };
    }
    transactions ??= explained(files.givenPath, () => new WriteTransactions(openSecondConnection(files)));
    const startedAt = performance.now();
    const outcomes = transactions.commit(request, BUSY_TIMEOUT_MS);
    return { outcomes, milliseconds: performance.now() - startedAt };
  });
}
