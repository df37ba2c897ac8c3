import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { SqliteStore } from "../../stores/sqlite/store.ts";
import type { WriterPort } from "../../stores/sqlite/writer_messages.ts";
import { isBrokenPipe } from "../log/line_writer.ts";
import { firstLine, SettingError, UnreachableError } from "../start_error.ts";
import type { Samples } from "../metrics/samples.ts";
import type { Sinks } from "../writers.ts";
import { BEAT, type FromWorker, type Steps, type ToWorker, type WorkerStart } from "./messages.ts";

/** What a worker may do until its store is open. Then it gives up what is not needed any more. */
const PERMISSIONS = {
  ...{ net: "inherit", read: "inherit", write: "inherit", import: "inherit" },
  ...{ env: false, sys: false, run: false, ffi: false },
};

/** The longest time between two beats of a worker that responds, in beats. */
const LONGEST_SILENCE = 10;

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
  isSilent = false;
  /** What it had counted at its last beat. */
  samples: Samples | undefined;
  /** Beats that are missing. */
  #silence = 0;

  /** @param store The store whose thread writes for the worker, if there is one. */
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
   * Takes a step.
   *
   * @throws {SettingError} If a start fails, or the worker dies.
   */
  async take<Step extends keyof Steps>(step: Step, argument: Steps[Step]): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.set(step, done);
    this.#send({ step, argument } as ToWorker);
    const died = this.died.then((reason) => {
      throw new UnreachableError(`A worker died: ${reason}`);
    });
    await Promise.race([done.promise, died]);
  }

  /**
   * Calls back when the worker stops responding, and when it responds again. It is not ended: Deno cannot stop an endless
   * loop, and the socket of the worker would stay open.
   */
  watch(onChange: (isSilent: boolean) => void): void {
    // Counted and not measured: after the whole process was suspended, no time has passed for it.
    const timer = setInterval(() => {
      const isSilent = ++this.#silence > LONGEST_SILENCE;
      if (isSilent !== this.isSilent) onChange(this.isSilent = isSilent);
    }, BEAT);
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
    if ("wants" in message) {
      if (message.wants === "writer") this.#sendWriter();
      else this.#sendCheck();
      return;
    }
    if ("beat" in message) {
      this.#silence = 0;
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
    const writer = await this.#store?.connectWriter(() => this.#send({ isWriterLost: true })).catch(() => undefined);
    this.#send({ writer }, writer ? [writer] : []);
  }

  async #sendCheck(): Promise<void> {
    try {
      await this.#store?.check();
      this.#send({ isInPlace: true, failure: "" });
    } catch (error) {
      this.#send({ isInPlace: false, failure: firstLine(error) });
    }
  }

  #send(message: ToWorker, transfer: unknown[] = []): void {
    this.#port.postMessage(message, transfer as MessagePort[]);
  }

  async #write({ lines, stream }: Extract<FromWorker, { lines: Uint8Array }>): Promise<void> {
    let failure: string | undefined;
    try {
      await this.#sinks[stream].write(lines);
    } catch (error) {
      // As in the writer of lines, which cannot see the class of an error behind a port.
      if (!isBrokenPipe(error)) failure = (error as Error).message;
    }
    this.#send({ written: stream, ...(failure !== undefined && { failure }) });
  }
}
