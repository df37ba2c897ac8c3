/**
 * A server with workers that die on request. Run as a program, it serves. Its last argument is the {@link Order} that one
 * worker gets at each SIGUSR2. Deno only.
 */

import { readArguments } from "../../../lib/server/commands/arguments.ts";
import { SERVE } from "../../../lib/server/commands/serve.ts";
import { describeStart } from "../../../lib/server/log/messages.ts";
import { readSettings } from "../../../lib/server/server_settings.ts";
import { WorkerPool } from "../../../lib/server/workers/worker_pool.ts";
import { createWriters, serializeWrites } from "../../../lib/server/writers.ts";

if (import.meta.main) {
  const order = Deno.args.at(-1);
  const settings = readSettings(readArguments("serve", SERVE, Deno.args.slice(0, -1), () => undefined));
  const workers: string[] = [];
  const channel = new BroadcastChannel("petstore-orders");
  channel.onmessage = ({ data: { worker } }) => workers.push(worker);
  Deno.addSignalListener("SIGUSR2", () => channel.postMessage({ worker: workers.shift(), order }));
  const sinks = { output: serializeWrites(Deno.stdout), errors: serializeWrites(Deno.stderr) };
  const { output, errors } = createWriters(sinks);
  const pool = new WorkerPool(settings.workers, errors, sinks, new URL("./mortal_worker.ts", import.meta.url));
  const started = await pool.start(settings, (line) => errors.add(line));
  output.add(describeStart({ hostname: settings.hostname, hasDocs: false, ...started }, false));
}
