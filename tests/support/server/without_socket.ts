/** A server in this process that has no socket: a test asks its gate. */

import { readArguments } from "../../../lib/server/commands/command_line.ts";
import { SERVE } from "../../../lib/server/commands/serve.ts";
import type { DrainGate } from "../../../lib/server/service/drain_gate.ts";
import type { Listen, Listener } from "../../../lib/server/service/listener.ts";
import { reportTo } from "../../../lib/server/process/writers.ts";
import { serveStore } from "../../../lib/server/serving/serve.ts";
import { prepareEnvironment } from "../../../lib/server/settings/environment.ts";
import { readSettings, type ServerSettings } from "../../../lib/server/settings/server_settings.ts";
import { Metrics } from "../../../lib/server/telemetry/metrics.ts";
import type { KeyedPetStore } from "../../../lib/stores/store.ts";

export function readFrom(args: readonly string[], env: Record<string, string> = {}): ServerSettings {
  return readSettings(readArguments("serve", SERVE, args, prepareEnvironment((name) => env[name])));
}

/** A server that answers requests until `end()`, which resolves when its store is closed. */
interface GateServer {
  gate: DrainGate;
  metrics: Metrics | undefined;
  end(): Promise<void>;
}

/**
 * Starts it on a store.
 *
 * @param stop Takes the place of the listener's method.
 * @param add Takes the lines of both outputs. The first one of standard output is the greeting.
 */
export async function startWithoutSocket(
  args: readonly string[],
  store: KeyedPetStore,
  stop: Listener["stop"],
  add: (line: string, output: "output" | "errors") => void,
  holdTimeMs = 0,
): Promise<GateServer> {
  const settings = readFrom(args), metrics = settings.metrics && new Metrics();
  const greeted = Promise.withResolvers<void>(), ending = Promise.withResolvers<void>();
  const writer = (name: "output" | "errors") => ({
    add(line: string) {
      add(line, name);
      if (name === "output") greeted.resolve();
    },
    flush: () => Promise.resolve(),
    failure: undefined,
  });
  const errors = writer("errors");
  let gate: DrainGate | undefined;
  const listen: Listen = (_, given) => {
    // The server gives its whole gate.
    gate = given as DrainGate;
    return { port: 1, stop };
  };
  const served = serveStore({
    settings,
    storeSetting: { description: "the store", open: () => store },
    writers: { output: writer("output"), errors, report: reportTo(errors) },
    runtime: { listen, holdTimeMs },
    ending: ending.promise,
    metricsServer: metrics && { metrics, url: "" },
  });
  await Promise.race([greeted.promise, served]);
  const end = () => {
    ending.resolve();
    return served;
  };
  return { gate: gate!, metrics, end };
}
