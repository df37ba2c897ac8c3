/** A server in this process that has no socket: a test asks its gate. */

import { readFlags } from "../../../lib/server/commands/command_line.ts";
import { DENO_RUNTIME } from "../../../lib/server/deno/runtime.ts";
import type { Context, Gate, Listener } from "../../../lib/server/process/runtime.ts";
import type { DrainGate } from "../../../lib/server/serving/drain_gate.ts";
import { serve } from "../../../lib/server/serving/serve.ts";
import { prepareEnvironment } from "../../../lib/server/settings/environment.ts";
import { readValues } from "../../../lib/server/settings/options.ts";
import { SETTINGS, type Settings } from "../../../lib/server/settings/server_settings.ts";
import type { KeyedPetStore } from "../../../lib/stores/store.ts";

export function readFrom(args: readonly string[], env: Record<string, string> = {}): Settings {
  const { flags } = readFlags(args, SETTINGS, "");
  return readValues(SETTINGS, flags, prepareEnvironment((name) => env[name]));
}

/** A server that answers requests until `end()`, which resolves when its store is closed. */
interface GateServer {
  gate: DrainGate;
  /** Answers scrapes, if the arguments ask for metrics. */
  metricsGate: Gate;
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
  add: (line: string, output: "output" | "errorOutput") => void,
  holdTimeMs = 0,
): Promise<GateServer> {
  const greeted = Promise.withResolvers<void>(), ending = Promise.withResolvers<void>();
  const writer = (name: "output" | "errorOutput") => ({
    add(line: string) {
      add(line, name);
      if (name === "output") greeted.resolve();
    },
    flush: () => Promise.resolve(),
    failure: undefined,
  });
  const gates: Record<string, Gate> = {};
  const context: Context = {
    ...DENO_RUNTIME,
    output: writer("output"),
    errorOutput: writer("errorOutput"),
    report: (line) => add(`petstore: ${line}`, "errorOutput"),
    listen({ flag }, gate) {
      gates[flag] = gate;
      return { port: 1, stop: flag === "--port" ? stop : () => Promise.resolve() };
    },
    holdTimeMs,
    waitForSignal: () => ending.promise,
  };
  const find = () => Promise.resolve({ description: "the store", open: () => store });
  const served = serve(readFrom(args), context, find);
  await Promise.race([greeted.promise, served]);
  const end = () => {
    ending.resolve();
    return served;
  };
  // The server gives its whole gate.
  return { gate: gates["--port"] as DrainGate, metricsGate: gates["--metrics"]!, end };
}
