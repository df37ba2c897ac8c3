/** The way of a store to the thread that writes: how that is started, and how batches get there. */

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
  #worker: Worker | undefined;
  /** Brings the thread its lines. Deno delivers the worker's own messages late if this isolate is itself a worker. */
  #control: MessagePort | undefined;

  /** What the next start of the thread takes. It is filled now, because later clients may have taken every descriptor. */
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
   * A new line to the thread; undefined if no thread can be started. The first {@link WriterReply} is `ready` or a failure, and each later
   * one answers a batch.
   *
   * @throws {StoreUnavailableError} If the process has too few free descriptors for the thread.
   */
  connect(): WriterPort | undefined {
    this.#control ??= this.#start();
    const { port1, port2 } = new MessageChannel();
    this.#control?.postMessage(port2, [port2]);
    return this.#control && port1 as unknown as WriterPort;
  }

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

  async terminate(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** Starts the thread. It is undefined if the module cannot be loaded into a thread. */
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

/** A line to the thread, by which one store sends its batches, one at a time. */
export class ThreadLine {
  hasEnded = false;
  readonly #port: WriterPort;
  #message = Promise.withResolvers<WriterReply | undefined>();

  constructor(port: WriterPort) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#message.resolve(data);
    port.addEventListener("close", () => {
      this.hasEnded = true;
      this.#message.resolve(undefined);
    });
  }

  call(writes: readonly Write[]): Promise<WriterReply | undefined> {
    this.#port.postMessage(writes);
    return this.receive();
  }

  /** Waits for the next message of the thread. Undefined if the thread has ended. */
  async receive(): Promise<WriterReply | undefined> {
    // A store without creates in flight does not keep the process alive.
    this.#port.ref?.();
    const reply = await this.#message.promise;
    this.#message = Promise.withResolvers();
    this.#port.unref?.();
    return reply;
  }

  close(): void {
    this.#port.close();
  }
}
