import type { Runtime } from "../serving/runtime.ts";
import { listVariables, readVariable, waitForSignal } from "../process/process.ts";
import { listen } from "./listener.ts";
import { POSTGRES_DRIVER } from "./postgres_driver.ts";

let unpooled: Deno.HttpClient | undefined;

/** Deno repeats a request, a create too, if a kept connection ends (denoland/deno #32566). So this one gets a new connection. */
function fetchOnce(request: Request): Promise<Response> {
  if (request.method !== "POST") return fetch(request);
  return fetch(request, { client: unpooled ??= Deno.createHttpClient({ poolMaxIdlePerHost: 0 }) });
}

/** Deno as the runtime of the server. */
export const DENO_RUNTIME: Runtime = {
  postgresDriver: POSTGRES_DRIVER,
  environment: readVariable,
  listVariables,
  sinks: { output: Deno.stdout, errors: Deno.stderr },
  ending: waitForSignal,
  listen,
  fetchOnce,
};
