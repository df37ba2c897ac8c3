import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { SqliteStore } from "../../stores/sqlite/store.ts";
import type { WriterPort } from "../../stores/sqlite/writer_messages.ts";
import { isBrokenPipe } from "../log/line_writer.ts";
import { firstLine, SettingError, UnreachableError } from "../start_error.ts";
import type { Samples } from "../metrics/samples.ts";
import type { Sinks } from "../writers.ts";
import { type FromWorker, HEARTBEAT_INTERVAL, type Steps, type ToWorker, type WorkerStart } from "./messages.ts";

/** The permissions of a worker until its store is open. Then it drops those that it no longer needs. */
const PERMISSIONS = {
  ...{ net: "inherit", read: "inherit", write: "inherit", import: "inherit" },
  ...{ env: false, sys: false, run: false, ffi: false },
};

/** How many heartbeats a worker may miss before it counts as unresponsive. */
const MAX_MISSED_HEARTBEATS = 10;

const SANDBOX = new URL("./sandbox.ts", import.meta.url);

/** A worker, as the main isolate sees it. */
export class WorkerHandle {
  /** Resolves with the reason when the worker has died or was terminated. */
  readonly died: Promise<string>;
  readonly #end: (reason: string) => void;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #waiting = new Map<keyof Steps, PromiseWithResolvers<void>>();
  readonly #sinks: Sinks;
  readonly #store: SqliteStore | undefined;
  /** Whether it does not respond at the moment. */
  isUnresponsive = false;
  /** The counts of its last heartbeat. */
  samples: Samples | undefined;
  /** The heartbeats missed in a row. */
  #missedHeartbeats = 0;

  /** @param store The store whose thread writes for the worker. Undefined if the worker writes itself. */
  constructor(start: Omit<WorkerStart, "port">, sinks: Sinks, store: SqliteStore | undefined) {
    this.#sinks = sinks;
    this.#store = store;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    // Not `on()`, with which Deno reads the bytes of the access log one by one.
    (port1 as unknown as WriterPort).onmessage = ({ data }) => this.#receive(data as FromWorker);
    const deno = { permissions: PERMISSIONS };
    this.#worker = new Worker(SANDBOX, { type: "module", deno } as WorkerOptions);
    const { promise, resolve } = Promise.withResolvers<string>();
    this.died = promise;
    this.#end = resolve;
    this.#worker.onmessage = ({ data }) => this.#end(data);
    this.#worker.onerror = (event) => {
      // Otherwise the main isolate would die too.
      event.preventDefault();
      this.#end(event.message || "an error in its program");
    };
    this.died.then(() => {
      this.#worker.terminate();
      this.#port.close();
    });
    this.#worker.postMessage({ ...start, port: port2 }, [port2 as unknown as globalThis.MessagePort]);
  }

  /**
   * Makes the worker perform a step.
   *
   * @throws {SettingError} If a start fails, or the worker dies.
   */
  async perform<Step extends keyof Steps>(step: Step, argument: Steps[Step]): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.set(step, done);
    this.#post({ step, argument } as ToWorker);
    const died = this.died.then((reason) => {
      throw new UnreachableError(`A worker died: ${reason}`);
    });
    await Promise.race([done.promise, died]);
  }

  /**
   * Calls back when the worker stops responding, and when it responds again. It is not ended: Deno cannot stop an endless
   * loop, and the socket of the worker would stay open.
   */
  watch(onChange: (isUnresponsive: boolean) => void): void {
    // Counts heartbeats instead of time, because time also passes while the whole process is suspended.
    const timer = setInterval(() => {
      const isUnresponsive = ++this.#missedHeartbeats > MAX_MISSED_HEARTBEATS;
      if (isUnresponsive !== this.isUnresponsive) onChange(this.isUnresponsive = isUnresponsive);
    }, HEARTBEAT_INTERVAL);
    this.died.then(() => clearInterval(timer));
  }

  /** Ends the worker at once. */
  terminate(): void {
    this.#end("it was terminated");
  }

  #receive(message: FromWorker): void {
    if ("lines" in message) {
      this.#write(message);
      return;
    }
    if ("request" in message) {
      if (message.request === "writer") this.#sendWriter();
      else this.#sendCheck();
      return;
    }
    if ("heartbeat" in message) {
      this.#missedHeartbeats = 0;
      this.samples = message.samples;
      return;
    }
    if ("died" in message) {
      this.#end(message.died);
      return;
    }
    const { done, failure } = message;
    const waiting = this.#waiting.get(done);
    this.#waiting.delete(done);
    if (!failure) waiting?.resolve();
    else waiting?.reject(new (failure.isTemporary ? UnreachableError : SettingError)(failure.message));
  }

  async #sendWriter(): Promise<void> {
    const writer = await this.#store?.connectWriter(() => this.#post({ isWriterLost: true })).catch(() => undefined);
    this.#post({ writer }, writer ? [writer] : []);
  }

  async #sendCheck(): Promise<void> {
    try {
      await this.#store?.check();
      this.#post({ isInPlace: true, failure: "" });
    } catch (error) {
      this.#post({ isInPlace: false, failure: firstLine(error) });
    }
  }

  #post(message: ToWorker, transfer: unknown[] = []): void {
    this.#port.postMessage(message, transfer as MessagePort[]);
  }

  async #write({ lines, stream }: Extract<FromWorker, { lines: Uint8Array }>): Promise<void> {
    let failure: string | undefined;
    try {
      await this.#sinks[stream].write(lines);
    } catch (error) {
      // As in the line writer, which does not receive the code of an error over a port.
      if (!isBrokenPipe(error)) failure = (error as Error).message;
    }
    this.#post({ written: stream, ...(failure !== undefined && { failure }) });
  }
}
