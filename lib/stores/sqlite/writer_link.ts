/** The way of a store to the thread that writes: how the thread is started, and how batches get there. */

import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { StoreUnavailableError } from "../store.ts";
import type { OpenedFiles } from "./file.ts";
import { DescriptorReserve } from "./descriptors.ts";
import type { Write } from "../write.ts";
import { startThread } from "./thread.ts";
import type { WriterPort, WriterReply } from "./writer_messages.ts";
import { WRITER_MODULE, type WriterData } from "./writer_thread.ts";

/** The thread of a store, which starts when it is needed, and again when it has ended. */
export class WriterOwner {
  readonly #opened: OpenedFiles;
  /** The thread that was started last, which may have ended. */
  #worker: Worker | undefined;
  /**
   * The port that brings the thread its lines; undefined while no thread runs. It is a port of its own, because Deno delivers the worker's
   * own messages late if this isolate is itself a worker.
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

  /**
   * Opens a new line to the thread, which starts if it does not run. The line is undefined if no thread can be started. Its first
   * {@link WriterReply} is `ready` or a failure, and each later one answers a batch.
   *
   * @throws {StoreUnavailableError} If the process has too few free descriptors for the thread.
   */
  connect(): WriterPort | undefined {
    this.#control ??= this.#start();
    if (!this.#control) return undefined;
    const { port1, port2 } = new MessageChannel();
    this.#control.postMessage(port2, [port2]);
    return port1 as unknown as WriterPort;
  }

  /** Lets the thread close its connection, and ends it. */
  async close(): Promise<void> {
    this.#reserve.release();
    const control = this.#control;
    if (!control) return;
    control.ref();
    const closed = new Promise<void>((resolve) => control.once("close", () => resolve()));
    control.postMessage("close");
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
    const workerData: WriterData = { opened: this.#opened, control: port2 };
    this.#worker = startThread({
      module: WRITER_MODULE,
      file: "writer_thread",
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

/** A line to the thread, by which one store sends its batches. It sends one at a time, and none once the line has ended. */
export class ThreadLine {
  hasEnded = false;
  readonly #port: WriterPort;
  /** The next message of the thread, whether or not somebody waits for it yet. It is undefined once the line has ended. */
  #nextMessage = Promise.withResolvers<WriterReply | undefined>();

  constructor(port: WriterPort) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#nextMessage.resolve(data);
    port.addEventListener("close", () => {
      this.hasEnded = true;
      this.#nextMessage.resolve(undefined);
    });
  }

  /** Sends a batch, and waits for the answer. Undefined if the thread has ended: the batch may have been committed. */
  call(writes: readonly Write[]): Promise<WriterReply | undefined> {
    this.#port.postMessage(writes);
    return this.receive();
  }

  /** Waits for the next message of the thread. Undefined if the thread has ended. */
  async receive(): Promise<WriterReply | undefined> {
    // The port keeps the process alive only during the wait, so that a store without creates in flight does not.
    this.#port.ref?.();
    const reply = await this.#nextMessage.promise;
    this.#nextMessage = Promise.withResolvers();
    this.#port.unref?.();
    return reply;
  }

  close(): void {
    this.#port.close();
  }
}
