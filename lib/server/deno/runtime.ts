import type { Runtime } from "../serving/runtime.ts";
import { listVariables, readVariable, waitForSignal } from "../process/process.ts";
import { listen } from "./listener.ts";

/** Deno as the runtime of the server. */
export const DENO_RUNTIME: Runtime = {
  environment: readVariable,
  listVariables,
  sinks: { output: Deno.stdout, errors: Deno.stderr },
  waitForSignal,
  listen,
};
