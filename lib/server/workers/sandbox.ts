/**
 * The program of an isolate that confines a worker. Two isolates are necessary: only Deno's `Worker` can have fewer
 * permissions than the main isolate, and only that of `node:worker_threads` survives that its memory is exhausted.
 */

import { getHeapStatistics } from "node:v8";
import { Worker } from "node:worker_threads";
import type { WorkerStart } from "./messages.ts";

/** In bytes. */
const MEBIBYTE = 1_048_576;

const scope = globalThis as unknown as { postMessage(reason: string): void };

addEventListener("message", (event) => {
  const start = (event as MessageEvent<WorkerStart>).data;
  const maxOldGenerationSizeMb = Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE);
  // An environment of its own, because the system's needs a permission.
  const worker = new Worker(importable(start.program), {
    env: {},
    workerData: start,
    transferList: [start.port],
    resourceLimits: { maxOldGenerationSizeMb },
  });
  worker.on("error", (error) => scope.postMessage(String(error instanceof Error ? error.stack : error)));
  worker.on("exit", (status) => scope.postMessage(`it ended with status ${status}`));
}, { once: true });

/** `node:worker_threads` refuses an address on the network, but not a module that imports it. */
function importable(program: string): URL {
  if (program.startsWith("file:")) return new URL(program);
  const module = encodeURIComponent(`import ${JSON.stringify(program)};`);
  return new URL(`data:text/javascript,${module}`);
}
