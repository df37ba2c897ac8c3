import { getHeapStatistics } from "node:v8";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { SqliteStore } from "../../stores/sqlite/store.ts";
import type { WriterPort } from "../../stores/sqlite/writer_messages.ts";
import { isBrokenPipe } from "../log/line_writer.ts";
import { firstLine, SettingError, UnreachableError } from "../start_error.ts";
import type { Samples } from "../metrics/samples.ts";
import type { Sinks } from "../writers.ts";
import { type FromWorker, HEARTBEAT_INTERVAL, type Steps, type ToWorker, type WorkerStart } from "./messages.ts";

/** How many heartbeats a worker may miss before it counts as unresponsive. */
const MAX_MISSED_HEARTBEATS = 10;

/** In bytes. */
const MEBIBYTE = 1_048_576;

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

  /**
   * @param program The address of the program that serves.
   * @param store The store whose thread writes for the worker. Undefined if the worker writes itself.
   */
  constructor(program: URL, start: Omit<WorkerStart, "port">, sinks: Sinks, store: SqliteStore | undefined) {
    this.#sinks = sinks;
    this.#store = store;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    // Not `on()`, with which Deno reads the bytes of the access log one by one.
    (port1 as unknown as WriterPort).onmessage = ({ data }) => this.#receive(data as FromWorker);
    // Deno's own Worker would end the process when its memory is exhausted.
    this.#worker = new Worker(importable(program), {
      // An environment of its own, because the system's needs a permission.
      env: {},
      workerData: { ...start, port: port2 } satisfies WorkerStart,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE) },
    });
    const { promise, resolve } = Promise.withResolvers<string>();
    this.died = promise;
    this.#end = resolve;
    this.#worker.on("error", (error) => this.#end(String(error instanceof Error ? error.stack : error)));
    this.#worker.on("exit", (status) => this.#end(`it ended with status ${status}`));
    this.died.then(() => {
      this.#worker.terminate();
      this.#port.close();
    });
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
      this.#sendWriter();
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
    try {
      const writer = await this.#store?.connectWriter(() => this.#post({ isWriterLost: true }));
      this.#post({ writer }, writer ? [writer] : []);
    } catch (error) {
      this.#post({ writer: undefined, failure: firstLine(error) });
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

/** `node:worker_threads` refuses an address on the network, but not a module that imports it. */
function importable(program: URL): URL {
  if (program.protocol === "file:") return program;
  return new URL(`data:text/javascript,${encodeURIComponent(`import ${JSON.stringify(program.href)};`)}`);
}
