import type { Host } from "../host.ts";
import { isColoured, listVariables, readVariable, waitForSignal } from "../process.ts";
import { createWorkerPool } from "../workers/worker_pool.ts";
import { serializeWrites } from "../writers.ts";
import { listen } from "./listener.ts";
import { prepareTraces } from "./spans.ts";
import { POSTGRES_DRIVER } from "./postgres_driver.ts";

/** Deno as the host of the server. */
export const DENO_HOST: Host = {
  postgresDriver: POSTGRES_DRIVER,
  environment: readVariable,
  listVariables,
  sinks: {
    output: { ...serializeWrites(Deno.stdout), isColoured: isColoured() },
    errors: serializeWrites(Deno.stderr),
  },
  ending: waitForSignal,
  listen,
  prepareTraces,
  createWorkerPool,
};
