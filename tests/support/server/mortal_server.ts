/**
 * A server with workers that die on request. Run as a program, it serves. Its last argument is the {@link Order} that one
 * worker gets at each SIGUSR2. Deno only.
 */

import { readArguments } from "../../../lib/server/commands/command_line.ts";
import { SERVE } from "../../../lib/server/commands/serve.ts";
import { DENO_RUNTIME } from "../../../lib/server/deno/runtime.ts";
import { serve } from "../../../lib/server/serving/serve.ts";
import { readSettings } from "../../../lib/server/settings/server_settings.ts";
import { createWorkerPool as createPool } from "../../../lib/server/deno/worker_pool.ts";
import { createWriters, writeAll } from "../../../lib/server/process/writers.ts";

if (import.meta.main) {
  const order = Deno.args.at(-1);
  const settings = readSettings(readArguments("serve", SERVE, Deno.args.slice(0, -1), () => undefined));
  const workers: string[] = [];
  const channel = new BroadcastChannel("petstore-orders");
  channel.onmessage = ({ data: { worker } }) => workers.push(worker);
  Deno.addSignalListener("SIGUSR2", () => channel.postMessage({ worker: workers.shift(), order }));
  const program = new URL("./mortal_worker.ts", import.meta.url);
  const createWorkerPool: typeof DENO_RUNTIME.createWorkerPool = (...parts) => createPool(...parts, program);
  await serve(settings, createWriters((stream) => (bytes) => writeAll(DENO_RUNTIME.sinks[stream], bytes)), {
    ...DENO_RUNTIME,
    createWorkerPool,
  });
}
