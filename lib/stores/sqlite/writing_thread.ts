/** The store's side of the thread that writes: how the thread is started and ended, and how a batch is committed there. */

import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { StoreUnavailableError } from "../store.ts";
import { uncertain, type Write } from "../write.ts";
import { DescriptorReserve } from "./descriptor_reserve.ts";
import type { OpenedFiles } from "./opened_files.ts";
import { startThread } from "./thread.ts";
import { WRITER_MODULE } from "./writing_thread_main.ts";
import {
  type Answer,
  type Committed,
  type ControlMessage,
  errorOf,
  type StoreEnd,
  type ThreadData,
} from "./writing_thread_messages.ts";

/** A thread that commits the batches of a writer. */
export interface CommitThread {
  /**
   * Opens a new line to the thread, which starts if it does not run. The result is undefined if no thread can be started.
   *
   * @throws {StoreUnavailableError} If the process has too few free descriptors for the thread.
   */
  connect(): StoreEnd | undefined;
  /** Lets the thread close its connection, and ends it. */
  close(): Promise<void>;
}

/** The thread of a store, which starts when it is needed, and again when it has ended. */
export class WritingThread implements CommitThread {
  readonly #opened: OpenedFiles;
  /** The thread that was started last, which may have ended. */
  #worker: Worker | undefined;
  /**
   * The control port; undefined while no thread runs. It is a port of its own, because Deno delivers the worker's own messages late if this
   * isolate is itself a worker.
   */
  #control: MessagePort | undefined;
  /** The descriptors for the next start of the thread. They are taken now, because later clients may have taken every one. */
  readonly #reserve = new DescriptorReserve();

  constructor(opened: OpenedFiles) {
    this.#opened = opened;
    try {
      this.#reserve.fill();
    } catch {
      // Too few descriptors are free now. The start of the thread tries again.
    }
  }

  connect(): StoreEnd | undefined {
    this.#control ??= this.#start();
    if (!this.#control) return undefined;
    const { port1, port2 } = new MessageChannel();
    this.#control.postMessage(port2, [port2]);
    return port1 as unknown as StoreEnd;
  }

  async close(): Promise<void> {
    this.#reserve.release();
    const control = this.#control;
    if (!control) return;
    control.ref();
    const closed = new Promise<void>((resolve) => control.once("close", () => resolve()));
    control.postMessage("close" satisfies ControlMessage);
    await closed;
    await this.terminate();
  }

  /** Ends the thread at once. */
  async terminate(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** Starts the thread, and returns its control port. The port is undefined if the module cannot be loaded into a thread. */
  #start(): MessagePort | undefined {
    try {
      this.#reserve.fill();
    } catch (cause) {
      const message =
        `${this.#opened.givenPath}: the process has too few free file descriptors for a thread that writes`;
      throw new StoreUnavailableError(message, { cause });
    }
    const { port1, port2 } = new MessageChannel();
    this.#reserve.release();
    const workerData: ThreadData = { opened: this.#opened, control: port2 };
    this.#worker = startThread({
      module: WRITER_MODULE,
      file: "writing_thread_main",
      call: "runWriter",
      database: this.#opened.path,
      workerData,
      transferList: [port2],
    });
    if (!this.#worker) return undefined;
    this.#worker.unref();
    port1.on("close", () => this.#control = undefined);
    // Deno notices the end of a port only once it receives.
    port1.start();
    port1.unref();
    return port1;
  }
}

/** A line to the thread, by which one store sends its batches, one at a time. */
export class ThreadLine {
  /** Whether the thread has ended. The line is then of no use any more. */
  hasEnded = false;
  readonly #end: StoreEnd;
  /** The next answer, whether or not somebody waits for it yet. It is undefined once the line has ended. */
  #nextAnswer = Promise.withResolvers<Answer | undefined>();

  private constructor(end: StoreEnd) {
    this.#end = end;
    end.onmessage = ({ data }) => this.#nextAnswer.resolve(data);
    end.addEventListener("close", () => {
      this.hasEnded = true;
      this.#nextAnswer.resolve(undefined);
    });
  }

  /**
   * Opens a line, and waits for the greeting. The result is undefined if no thread can be started.
   *
   * @throws {StoreUnavailableError} If the thread cannot open the file, or ends at its start.
   */
  static async open(thread: CommitThread): Promise<ThreadLine | undefined> {
    // There are two attempts, because a thread that has just ended may still pass for one that runs.
    for (let attempt = 0; attempt < 2; attempt++) {
      const end = thread.connect();
      if (!end) return undefined;
      const line = new ThreadLine(end);
      const greeting = await line.#receive();
      if (greeting?.kind === "ready") return line;
      line.close();
      if (greeting?.kind === "failure") throw errorOf(greeting);
    }
    throw new StoreUnavailableError("The thread that writes cannot be started at the moment");
  }

  /**
   * Lets the thread commit a batch.
   *
   * @throws The error of the commit. If the thread ends before its answer, the batch may have been committed, and the error says so.
   */
  async commit(writes: readonly Write[]): Promise<Committed> {
    this.#end.postMessage(writes);
    const answer = await this.#receive();
    if (answer?.kind === "failure") throw errorOf(answer);
    if (answer?.kind !== "outcomes") throw uncertain(new Error("The thread that writes has ended"));
    return answer;
  }

  close(): void {
    this.#end.close();
  }

  /** Waits for the next answer. It is undefined if the thread has ended. */
  async #receive(): Promise<Answer | undefined> {
    if (this.hasEnded) return undefined;
    // The port keeps the process alive only during the wait, so that a store without creates in flight does not.
    this.#end.ref?.();
    const answer = await this.#nextAnswer.promise;
    this.#nextAnswer = Promise.withResolvers();
    this.#end.unref?.();
    return answer;
  }
}
