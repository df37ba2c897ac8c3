import { getHeapStatistics } from "node:v8";
import { MessageChannel, Worker } from "node:worker_threads";
import { shareWriter } from "../../stores/sqlite/start_writer.ts";
import type { SqliteStore } from "../../stores/sqlite/store.ts";
import type { Port } from "../../stores/sqlite/writer_messages.ts";
import { SettingError, UnreachableError } from "../process/start_error.ts";
import type { Samples } from "../telemetry/samples.ts";
import type { Writers } from "../process/writers.ts";
import { HEARTBEAT_INTERVAL, type StepMessage, type WorkerMessage, type WorkerStart } from "./worker_messages.ts";

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
  readonly #port: Port<StepMessage, WorkerMessage>;
  readonly #steps = new Map<StepMessage["step"], PromiseWithResolvers<void>>();
  readonly #writers: Writers;
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
  constructor(
    program: URL,
    start: Omit<WorkerStart, "channel" | "writer">,
    writers: Writers,
    store: SqliteStore | undefined,
  ) {
    const { port1, port2 } = new MessageChannel();
    this.#writers = writers;
    this.#port = port1 as unknown as Port<StepMessage, WorkerMessage>;
    this.#port.onmessage = ({ data }) => this.#receive(data);
    const writer = new MessageChannel();
    shareWriter(writer.port1, () => store?.connectWriter());
    // Deno's own Worker would end the process when its memory is exhausted.
    this.#worker = new Worker(importable(program), {
      // An environment of its own, because the system's needs a permission.
      env: {},
      workerData: { ...start, channel: port2, writer: writer.port2 } satisfies WorkerStart,
      transferList: [port2, writer.port2],
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE) },
    });
    const { promise, resolve } = Promise.withResolvers<string>();
    this.died = promise;
    this.#end = resolve;
    this.#worker.on("error", (error) => this.#end(String(error instanceof Error ? error.stack : error)));
    this.#worker.on("exit", (status) => this.#end(`it ended with status ${status}`));
    this.died.then(() => {
      this.#worker.terminate();
      port1.close();
      writer.port1.close();
    });
  }

  /**
   * Makes the worker perform a step.
   *
   * @throws {SettingError} If a start fails, or the worker dies.
   */
  async perform(step: StepMessage["step"], timeoutMs = 0): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#steps.set(step, done);
    this.#port.postMessage({ step, timeoutMs });
    this.died.then((reason) => done.reject(new UnreachableError(`A worker died: ${reason}`)));
    await done.promise;
  }

  #receive(message: WorkerMessage): void {
    if (message.kind === "lines") return this.#writers[message.stream].add(message.lines);
    if (message.kind === "died") return this.#end(message.reason);
    if (message.kind === "beat") {
      this.#missedHeartbeats = 0;
      this.samples = message.samples;
      return;
    }
    const { step, failure } = message;
    if (!failure) return this.#steps.get(step)?.resolve();
    this.#steps.get(step)?.reject(new (failure.isTemporary ? UnreachableError : SettingError)(failure.message));
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
}

/** `node:worker_threads` refuses an address on the network, but not a module that imports it. */
function importable(program: URL): URL {
  if (program.protocol === "file:") return program;
  return new URL(`data:text/javascript,${encodeURIComponent(`import ${JSON.stringify(program.href)};`)}`);
}
