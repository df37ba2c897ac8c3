import type { DatabaseSync } from "node:sqlite";
import { type MessagePort, workerData } from "node:worker_threads";
import { Batch } from "../batch.ts";
import type { Write } from "../write.ts";
import type { OpenedFiles } from "./file.ts";
import { Transactions } from "./insert.ts";
import { openSecondConnection } from "./open.ts";
import { FileWatch } from "./file_watch.ts";
import { BUSY_TIMEOUT } from "./transaction.ts";
import { failureOf, type Reply, type StorePort } from "./writer_messages.ts";

/** A file or, if it comes from JSR, a page of the web. */
export const WRITER_MODULE: string | undefined = import.meta.url;

export interface WriterData {
  opened: OpenedFiles;
  /** Brings the ports of stores, and at last "close". */
  control: MessagePort;
}

interface Job {
  port: StorePort;
  writes: readonly Write[];
}

export function runWriter(): void {
  const { opened, control } = workerData as WriterData;
  let writer: ThreadWriter | undefined;
  const serve = (port: StorePort): Reply => {
    try {
      writer ??= new ThreadWriter(opened);
      writer.serve(port);
      return { kind: "ready" };
    } catch (error) {
      return failureOf(error);
    }
  };
  control.on("message", async (message: StorePort | "close") => {
    if (message !== "close") return message.postMessage(serve(message));
    await writer?.close();
    control.close();
  });
}

class ThreadWriter {
  readonly #db: DatabaseSync;
  readonly #transactions: Transactions;
  #portCount = 0;
  readonly #batch = new Batch<Job>({
    ...{ resource: "the disk", expectsClients: true },
    commit: async (jobs) => {
      this.#commit(jobs);
      // Until what other stores have sent meanwhile is there: they are clients too.
      await new Promise((resolve) => setImmediate(resolve));
    },
  });

  constructor(opened: OpenedFiles) {
    const { db } = openSecondConnection(opened);
    this.#db = db;
    this.#transactions = new Transactions(db, new FileWatch({ db, files: opened }, opened.givenPath));
  }

  serve(port: StorePort): void {
    this.#portCount++;
    port.addEventListener("close", () => this.#portCount--);
    port.onmessage = ({ data: writes }) => {
      try {
        // A store sends no second batch before its first is answered.
        if (this.#portCount === 1) this.#commit([{ port, writes }]);
        else this.#batch.add({ port, writes });
      } catch (error) {
        port.postMessage(failureOf(error));
      }
    };
  }

  async close(): Promise<void> {
    await this.#batch.close();
    this.#db.close();
  }

  #commit(jobs: readonly Job[]): void {
    const all = jobs.flatMap(({ writes }) => writes);
    let reply: (job: Job) => Reply;
    try {
      const begin = performance.now();
      const outcomes = this.#transactions.commit(all, BUSY_TIMEOUT);
      const milliseconds = performance.now() - begin;
      reply = ({ writes }) => ({ kind: "outcomes", outcomes: outcomes.splice(0, writes.length), milliseconds });
    } catch (error) {
      reply = () => failureOf(error);
    }
    for (const job of jobs) job.port.postMessage(reply(job));
  }
}
