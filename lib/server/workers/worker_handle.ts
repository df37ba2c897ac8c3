import { MessageChannel, type MessagePort } from "node:worker_threads";
import { SettingError, UnreachableError } from "../start_error.ts";
import type { Sinks } from "../writers.ts";
import type { FromWorker, Steps, ToWorker, WorkerStart } from "./messages.ts";

/** What a worker may do until its store is open. Then it gives up what is not needed any more. */
const PERMISSIONS = {
  ...{ net: "inherit", read: "inherit", write: "inherit", import: "inherit" },
  ...{ env: false, sys: false, run: false, ffi: false },
};

const SANDBOX = new URL("./sandbox.ts", import.meta.url);

/** A worker, as the main isolate sees it. */
export class WorkerHandle {
  /** Resolves with the reason when the worker has died. */
  readonly died: Promise<string>;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #waiting = new Map<keyof Steps, PromiseWithResolvers<void>>();
  readonly #sinks: Sinks;

  constructor(start: Omit<WorkerStart, "port">, sinks: Sinks) {
    this.#sinks = sinks;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", (message: FromWorker) => this.#receive(message));
    const deno = { permissions: PERMISSIONS };
    this.#worker = new Worker(SANDBOX, { type: "module", deno } as WorkerOptions);
    const died = Promise.withResolvers<string>();
    this.died = died.promise;
    this.#worker.onmessage = ({ data }) => died.resolve(data);
    this.#worker.onerror = (event) => {
      // Otherwise the main isolate would die too.
      event.preventDefault();
      died.resolve(event.message);
    };
    this.died.then((reason) => this.#bury(reason));
    this.#worker.postMessage({ ...start, port: port2 }, [port2 as unknown as globalThis.MessagePort]);
  }

  /**
   * Takes a step.
   *
   * @throws {SettingError} If a start fails, or the worker dies.
   */
  take<Step extends keyof Steps>(step: Step, argument: Steps[Step]): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.set(step, done);
    this.#port.postMessage({ step, argument } as ToWorker);
    return done.promise;
  }

  /** Ends the worker at once. */
  terminate(): void {
    this.#bury("it was terminated");
  }

  #bury(reason: string): void {
    this.#worker.terminate();
    this.#port.close();
    for (const { reject } of this.#waiting.values()) reject(new UnreachableError(`A worker died: ${reason}`));
    this.#waiting.clear();
  }

  #receive(message: FromWorker): void {
    if ("lines" in message) {
      this.#write(message);
      return;
    }
    const { done, failure } = message;
    const waiting = this.#waiting.get(done);
    this.#waiting.delete(done);
    if (!failure) waiting?.resolve();
    else waiting?.reject(new (failure.isTemporary ? UnreachableError : SettingError)(failure.message));
  }

  async #write({ lines, stream }: Extract<FromWorker, { lines: Uint8Array }>): Promise<void> {
    let failure: string | undefined;
    try {
      await this.#sinks[stream].write(lines);
    } catch (error) {
      // As in the writer of lines, which cannot see the class of an error behind a port.
      if (!(error instanceof Deno.errors.BrokenPipe)) failure = (error as Error).message;
    }
    this.#port.postMessage({ written: stream, ...(failure !== undefined && { failure }) } satisfies ToWorker);
  }
}
