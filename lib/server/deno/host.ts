import type { Host } from "../host.ts";
import { isColoured, readVariable, waitForSignal } from "../process.ts";
import { WorkerPool } from "../workers/worker_pool.ts";
import { serializeWrites } from "../writers.ts";
import { listen } from "./listener.ts";
import { prepareTraces } from "./spans.ts";
import { DENO_STORES } from "./stores.ts";

/** Deno as the host of the server. */
export const DENO_HOST: Host = {
  ...DENO_STORES,
  environment: readVariable,
  sinks: {
    output: { ...serializeWrites(Deno.stdout), isColoured: isColoured() },
    errors: serializeWrites(Deno.stderr),
  },
  ending: waitForSignal,
  listen,
  prepareTraces,
  createWorkers: (count, errors, sinks) => new WorkerPool(count, errors, sinks),
};
