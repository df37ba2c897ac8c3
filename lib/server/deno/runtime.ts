import type { Runtime } from "../serving/runtime.ts";
import { PROCESS } from "../process/process.ts";
import { listen } from "./listener.ts";

/** Deno as the runtime of the server. */
export const DENO_RUNTIME: Runtime = {
  ...PROCESS,
  sinks: { output: Deno.stdout, errorOutput: Deno.stderr },
  listen,
};
