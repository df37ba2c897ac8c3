/** The program of a worker: an isolate that serves. */

import { getHeapStatistics } from "node:v8";
import { workerData } from "node:worker_threads";
import { accessTo } from "../../stores/sqlite/start_writer.ts";
import { SqliteStore } from "../../stores/sqlite/store.ts";
import type { Port } from "../../stores/sqlite/writer_messages.ts";
import type { KeyedPetStore } from "../../stores/store.ts";
import { listen } from "./listener.ts";
import { prepareTraces } from "./spans.ts";
import { POSTGRES_DRIVER } from "./postgres_driver.ts";
import { firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import { createLocalServer } from "../serving/local_server.ts";
import { createWriters, writeJson } from "../process/writers.ts";
import { HEARTBEAT_INTERVAL, type StepMessage, type WorkerMessage, type WorkerStart } from "./worker_messages.ts";

function runWorker(data: WorkerStart): void {
  const { settings, hostname, port, database } = data;
  // Not `on()`, with which Deno reads the bytes of a message one by one.
  const channel = data.channel as unknown as Port<WorkerMessage, StepMessage>;
  const tell = (message: WorkerMessage) => channel.postMessage(message);
  const isComplete = () => Atomics.load(data.missing, 0) === 0;
  /** The main isolate writes the lines of all workers. */
  const writers = createWriters((stream) => (bytes) => {
    tell({ kind: "lines", stream, lines: new TextDecoder().decode(bytes.subarray(0, -1)) });
    return Promise.resolve();
  });
  if (settings.log === "json") writeJson(writers);
  if (settings.traces !== undefined) prepareTraces(true);
  const server = createLocalServer(settings, writers, listen);
  let store: KeyedPetStore | undefined;

  async function start(): Promise<void> {
    store = "identities" in database
      ? SqliteStore.join(database, accessTo(data.writer))
      : await (await import("../store/open_postgres.ts")).openPostgres(database, POSTGRES_DRIVER);
    // The gate opens first: a connection that the socket gets from now on is served.
    server.serve({ ...data, store, keyStore: store, isComplete });
    await server.listen({ hostname, port, isShared: true });
  }

  async function end(timeoutMs: number): Promise<void> {
    await server.end(timeoutMs);
    await store?.close();
    await Promise.all([writers.output.flush(), writers.errors.flush()]);
  }

  let started: Promise<void> | undefined;
  const steps: Record<StepMessage["step"], (timeoutMs: number) => Promise<void>> = {
    start: () => started = start(),
    close: () => Promise.resolve(started).then(() => server.close()),
    hold: () => server.hold(),
    stop: () => server.stop(),
    end,
  };
  channel.onmessage = async ({ data: { step, timeoutMs } }) => {
    try {
      await steps[step](timeoutMs);
      tell({ kind: "done", step });
    } catch (error) {
      const isTemporary = error instanceof UnreachableError || !(error instanceof SettingError);
      tell({ kind: "done", step, failure: { message: firstLine(error), isTemporary } });
    }
  };

  reportBugs((reason) => tell({ kind: "died", reason }));
  const initialLimit = heapLimit();
  setInterval(() => {
    // When the memory is exhausted, Deno ends only what is running then, and raises the limit.
    if (heapLimit() > initialLimit) tell({ kind: "died", reason: "its memory was exhausted" });
    tell({ kind: "beat", samples: server.readMetrics()[0] });
  }, HEARTBEAT_INTERVAL);
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

if (workerData) runWorker(workerData);
