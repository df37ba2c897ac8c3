/** The store's side of the thread that writes: how the thread is started and ended, and how a batch is committed there. */

import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { StoreUnavailableError } from "../store.ts";
import { uncertain, type Write } from "../write.ts";
import { DescriptorReserve } from "./descriptor_reserve.ts";
import type { OpenedFiles } from "./opened_files.ts";
import { fromSent } from "./sent_error.ts";
import { startThread } from "./thread.ts";
import {
  type Answer,
  type Committed,
  onMessage,
  type Request,
  type ThreadData,
  WRITER_MODULE,
} from "./writing_thread_main.ts";

/** A thread that runs, as far as the store has heard. */
interface RunningThread {
  worker: Worker;
  /** It is a port of its own, because Deno delivers the worker's own messages late if this isolate is itself a worker. */
  port: MessagePort;
}

/** The thread of a store, which starts when it is needed, and again when it has ended. */
export class WritingThread {
  readonly #files: OpenedFiles;
  #running: RunningThread | undefined;
  /** Gives an answer of the thread to the request that waits for it. Each request replaces it. `undefined` says that the thread has ended. */
  #settle: (answer: Answer | undefined) => void = () => {};
  /** The descriptors for the next start of the thread. They are taken now, because later clients may have taken every one. */
  readonly #reserve = new DescriptorReserve();

  constructor(files: OpenedFiles) {
    this.#files = files;
    // If too few descriptors are free now, the start of the thread tries again.
    this.#reserve.fill();
  }

  /**
   * Lets the thread commit a batch. There is one at a time. The result is undefined if no thread can be started here.
   *
   * @throws {StoreUnavailableError} If the process has too few free descriptors for the thread.
   * @throws The error of the commit. If the thread ends before its answer, the batch may have been committed, and the error says so.
   */
  async commit(writes: readonly Write[]): Promise<Committed | undefined> {
    this.#running ??= this.#start();
    if (!this.#running) return undefined;
    const answer = await this.#ask(this.#running, writes);
    if (!answer) throw uncertain(new Error("The thread that writes has ended"));
    if (answer.kind === "failure") throw fromSent(answer);
    return answer;
  }

  /** Lets the thread close its connection, and ends it. */
  async close(): Promise<void> {
    this.#reserve.release();
    const running = this.#running;
    if (!running) return;
    await this.#ask(running, "close");
    await running.worker.terminate();
  }

  /** Ends the thread at once, if it runs. */
  async terminate(): Promise<void> {
    await this.#running?.worker.terminate();
  }

  /** Sends a request, and waits for the answer. It is undefined if the thread has ended. */
  async #ask({ port }: RunningThread, request: Request): Promise<Answer | undefined> {
    // The port keeps the process alive only during the wait, so that a store without creates in flight does not.
    port.ref();
    const answered = new Promise<Answer | undefined>((resolve) => this.#settle = resolve);
    port.postMessage(request);
    const answer = await answered;
    port.unref();
    return answer;
  }

  /** Starts the thread. The result is undefined if the module cannot be loaded into a thread. */
  #start(): RunningThread | undefined {
    // The reserve shows that enough descriptors are free. It is given back just before the thread starts, which takes them.
    if (!this.#reserve.fill()) {
      throw new StoreUnavailableError(
        `${this.#files.givenPath}: the process has too few free file descriptors for a thread that writes`,
      );
    }
    const { port1: port, port2 } = new MessageChannel();
    this.#reserve.release();
    const worker = startThread({
      module: WRITER_MODULE,
      file: "writing_thread_main",
      call: "runWriter",
      database: this.#files.path,
      workerData: { files: this.#files, port: port2 } satisfies ThreadData,
      transferList: [port2],
    });
    if (!worker) return undefined;
    worker.unref();
    onMessage(port, (answer: Answer) => this.#settle(answer));
    port.on("close", () => {
      this.#running = undefined;
      this.#settle(undefined);
    });
    return { worker, port };
  }
}
