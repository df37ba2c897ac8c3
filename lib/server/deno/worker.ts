/** The program of a worker: an isolate that serves. */

import { getHeapStatistics } from "node:v8";
import { workerData } from "node:worker_threads";
import { accessTo } from "../../stores/sqlite/start_writer.ts";
import { SqliteStore } from "../../stores/sqlite/store.ts";
import type { KeyedPetStore } from "../../stores/store.ts";
import { listen } from "./listener.ts";
import { prepareTraces } from "./spans.ts";
import { POSTGRES_DRIVER } from "./postgres_driver.ts";
import { LocalServer } from "../serving/local_server.ts";
import { createWriters, writeJson } from "../process/writers.ts";
import { HEARTBEAT_INTERVAL, type MainCalls, type Steps, type WorkerStart } from "./worker_messages.ts";
import { Peer } from "./peer.ts";

function runWorker(data: WorkerStart): void {
  const { channel, settings, hostname, port, database } = data;
  const isComplete = () => Atomics.load(data.missing, 0) === 0;
  let store: KeyedPetStore | undefined;
  let started: Promise<void> | undefined;
  const main = new Peer<MainCalls, Steps>(channel, {
    start: () => started = start(),
    async close() {
      await started;
      await server.close();
    },
    hold: () => server.hold(),
    stop: () => server.stop(),
    async end(timeoutMs) {
      await server.end(timeoutMs);
      await store?.close();
      await Promise.all([writers.output.flush(), writers.errors.flush()]);
    },
  });

  /** The main isolate writes the lines of all workers. A slow reader makes each wait, and finally drop lines. */
  const writers = createWriters((stream) => async (text) => {
    await main.call("write", { stream, lines: text.slice(0, -1) });
  });
  if (settings.log === "json") writeJson(writers);
  if (settings.traces !== undefined) prepareTraces(true);
  const server = new LocalServer(settings, writers, listen);
  async function start(): Promise<void> {
    store = "identities" in database
      ? SqliteStore.join(database, accessTo(data.writer))
      : await (await import("../store/open_postgres.ts")).openPostgres(database, POSTGRES_DRIVER);
    // The gate opens first: a connection that the socket gets from now on is served.
    server.serve({ ...data, store, keyStore: store, isComplete });
    await server.listen({ hostname, port, isShared: true });
  }

  reportBugs((reason) => void main.call("die", reason));
  const initialLimit = heapLimit();
  setInterval(() => {
    // When the memory is exhausted, Deno ends only what is running then, and raises the limit.
    if (heapLimit() > initialLimit) void main.call("die", "its memory was exhausted");
    void main.call("beat", server.readMetrics()[0]);
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
