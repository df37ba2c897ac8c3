/**
 * The program of the thread that writes, and its messages. A store has one such thread, which its `WritingThread` starts. The thread has a
 * connection of its own to the file, and ends when the store is closed.
 *
 * The two tell each other on one port: the store sends a batch of writes, and the thread answers with the outcomes or a failure. There is one
 * batch at a time. At last the store sends `"close"`, and the thread closes its connection and the port.
 */

import { type MessagePort, workerData } from "node:worker_threads";
import type { Outcome, Write } from "../write.ts";
import type { OpenedFiles } from "./opened_files.ts";
import { WriteTransactions } from "./write_transactions.ts";
import { asUnavailable } from "./errors.ts";
import { openSecondConnection } from "./open.ts";
import { type SentError, toSent } from "./sent_error.ts";
import { BUSY_TIMEOUT_MS } from "./transaction.ts";

/** The address of this module: a file or, if it comes from JSR, a page of the web. It is undefined where a bundler has removed it. */
export const WRITER_MODULE: string | undefined = import.meta.url;

/** The first function that the thread calls. */
export function runWriter(): void {
  const { files, port } = workerData as ThreadData;
  /** The connection for the transactions is opened for the first batch. If that fails, the next batch tries again. */
  let transactions: WriteTransactions | undefined;

  onMessage(port, (request: Request) => {
    if (request === "close") {
      // This is never the last connection of the file, because the store closes its own after this thread has ended.
      transactions?.connection.db.close();
      port.close();
    } else {
      port.postMessage(answer(request));
    }
  });

  function answer(writes: readonly Write[]): Answer {
    try {
      transactions ??= new WriteTransactions(openSecondConnection(files));
      const startedAt = performance.now();
      const outcomes = transactions.commit(writes, BUSY_TIMEOUT_MS);
      return { kind: "outcomes", outcomes, milliseconds: performance.now() - startedAt };
    } catch (error) {
      return toSent(asUnavailable(error, files.givenPath));
    }
  }
}

/** What the thread gets when it starts. */
export interface ThreadData {
  files: OpenedFiles;
  port: MessagePort;
}

/** What the store sends to the writing thread. */
export type Request = readonly Write[] | "close";

/** The outcomes of a batch, and the duration of the commit alone. */
export interface Committed {
  kind: "outcomes";
  outcomes: Outcome[];
  milliseconds: number;
}

/** What the writing thread sends back to the store. */
export type Answer = Committed | SentError;

/** Calls `receive` with each message on a port. On Deno, `port.on("message")` takes three microseconds more for each create of a batch. */
export function onMessage<Message>(port: MessagePort, receive: (message: Message) => void): void {
  Object.assign(port, { onmessage: ({ data }: { data: Message }) => receive(data) });
}
