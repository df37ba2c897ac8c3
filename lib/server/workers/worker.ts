/** The program of a worker: an isolate that serves. */

import { getHeapStatistics } from "node:v8";
import { type MessagePort, workerData } from "node:worker_threads";
import type { WriterAccess, WriterPort } from "../../stores/sqlite/writer_messages.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { listen } from "../deno/listener.ts";
import { prepareTraces } from "../deno/spans.ts";
import { DENO_STORES } from "../deno/stores.ts";
import type { LineSink } from "../log/line_writer.ts";
import { LocalServer } from "../local_server.ts";
import { isColoured } from "../process.ts";
import { SettingError, UnreachableError } from "../start_error.ts";
import { openSqliteInWorker, readStoreSetting } from "../store/open_store.ts";
import { createWriters, writeJson } from "../writers.ts";
import {
  type FromWorker,
  HEARTBEAT_INTERVAL,
  type Steps,
  type Stream,
  type ToWorker,
  type WorkerStart,
} from "./messages.ts";

function runWorker({ port, settings, variables, opened, missing, limits }: WorkerStart): void {
  const lines = { output: new PortSink(port, "output"), errors: new PortSink(port, "errors") };
  const writers = createWriters(lines);
  if (settings.log === "json") writeJson(writers);
  if (settings.traces !== undefined) prepareTraces(true);
  const server = new LocalServer(writers, listen, settings.traces);
  const writer = new MainWriter(port);

  const steps: { [Step in keyof Steps]: (argument: Steps[Step]) => void | Promise<void> } = {
    async open() {
      const store = opened
        ? openSqliteInWorker(opened, writer)
        : await readStoreSetting(settings.store, (name) => variables[name], DENO_STORES).open();
      server.adopt(store, store);
    },
    async listen({ hostname, port, keyLocation }) {
      // The gate opens first: a connection that the socket gets from now on is served.
      server.serve(settings, { isComplete: () => Atomics.load(missing, 0) === 0, keyLocation, limits });
      await server.listen({ hostname, port, isShared: true });
    },
    close: () => server.close(),
    hold: () => server.hold(),
    stop: () => server.stop(),
    async end(timeoutMs) {
      await server.end(timeoutMs);
      await Promise.all([writers.output.flush(), writers.errors.flush()]);
    },
  };

  const post = (message: FromWorker) => port.postMessage(message);
  reportBugs((died) => post({ died }));
  const initialLimit = heapLimit();
  setInterval(() => {
    // When the memory is exhausted, Deno ends only what is running then, and raises the limit.
    if (heapLimit() > initialLimit) post({ died: "its memory was exhausted" });
    post({ heartbeat: true, samples: server.readMetrics()[0] });
  }, HEARTBEAT_INTERVAL);
  port.on("message", async (message: ToWorker) => {
    if ("written" in message) return lines[message.written].onWritten(message.failure);
    if ("writer" in message) return writer.onPort(message.writer, message.failure);
    if ("isWriterLost" in message) return writer.onLost();
    const { step, argument } = message;
    try {
      await (steps[step] as (argument: unknown) => void | Promise<void>)(argument);
      post({ done: step });
    } catch (error) {
      // Any other error is a bug, and ends this isolate.
      if (!(error instanceof SettingError)) throw error;
      post({ done: step, failure: { message: error.message, isTemporary: error instanceof UnreachableError } });
    }
  });
}

function heapLimit(): number {
  return getHeapStatistics().heap_size_limit;
}

/** Deno would print an uncaught error itself, in many lines. The main isolate terminates this one. */
function reportBugs(report: (reason: string) => void): void {
  const onBug = (event: Event, error: unknown) => {
    event.preventDefault();
    report(error instanceof Error ? error.stack ?? error.message : String(error));
  };
  addEventListener("error", (event) => onBug(event, event.error));
  addEventListener("unhandledrejection", (event) => onBug(event, event.reason));
}

/** Posts lines to the main isolate, which writes those of all workers. */
class PortSink implements LineSink {
  readonly isColoured: boolean = isColoured();
  readonly #port: MessagePort;
  readonly #stream: Stream;
  #written: PromiseWithResolvers<void> | undefined;

  constructor(port: MessagePort, stream: Stream) {
    this.#port = port;
    this.#stream = stream;
  }

  /** One write at a time, so that a slow reader makes the writer wait, and finally drop lines. */
  async write(lines: Uint8Array): Promise<number> {
    this.#written = Promise.withResolvers();
    this.#port.postMessage({ lines, stream: this.#stream } satisfies FromWorker);
    await this.#written.promise;
    return lines.length;
  }

  onWritten(failure: string | undefined): void {
    if (failure === undefined) this.#written?.resolve();
    else this.#written?.reject(new Error(failure));
  }
}

/** Connects to the thread that writes for all workers. It belongs to the store of the main isolate. */
class MainWriter implements WriterAccess {
  readonly #port: MessagePort;
  #connected: PromiseWithResolvers<WriterPort | undefined> | undefined;
  onLost: () => void = () => {};

  constructor(port: MessagePort) {
    this.#port = port;
  }

  connect(onLost: () => void): Promise<WriterPort | undefined> {
    this.onLost = onLost;
    this.#connected = Promise.withResolvers();
    this.#port.postMessage({ request: "writer" } satisfies FromWorker);
    return this.#connected.promise;
  }

  onPort(port: WriterPort | undefined, failure: string | undefined): void {
    if (failure === undefined) this.#connected?.resolve(port);
    else this.#connected?.reject(new StoreUnavailableError(failure));
  }

  /** The main isolate closes it. */
  close(): void {}
}

// At the end, when the classes above exist.
if (workerData) runWorker(workerData);
