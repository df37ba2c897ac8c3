/** A server in this process that has no socket: a test asks its gate. */

import { readArguments } from "../../../lib/server/commands/command_line.ts";
import { SERVE } from "../../../lib/server/commands/serve.ts";
import type { DrainGate } from "../../../lib/server/service/drain_gate.ts";
import type { Listen, Listener } from "../../../lib/server/service/listener.ts";
import { type Server, startServer } from "../../../lib/server/serving/start.ts";
import { readSettings, type ServerSettings } from "../../../lib/server/settings/server_settings.ts";
import type { KeyedPetStore } from "../../../lib/stores/store.ts";

export function readFrom(args: readonly string[], env: Record<string, string> = {}): ServerSettings {
  return readSettings(readArguments("serve", SERVE, args, (name) => env[name]));
}

/**
 * Starts it on a store.
 *
 * @param listener What happens when it ends.
 * @param add Takes the lines of both outputs.
 */
export async function startWithoutSocket(
  args: readonly string[],
  store: KeyedPetStore,
  listener: Pick<Listener, "stop" | "finish">,
  add: (line: string, output: "output" | "errors") => void,
): Promise<{ server: Server; gate: DrainGate }> {
  const writer = (name: "output" | "errors") => (
    { add: (line: string) => add(line, name), flush: () => Promise.resolve(), hasFailed: false }
  );
  const writers = { output: writer("output"), errors: writer("errors") };
  let gate: Parameters<Listen>[1] | undefined;
  const listen: Listen = (_, given) => {
    gate = given;
    return { port: 1, ...listener };
  };
  const server = await startServer(readFrom(args), { description: "the store", open: () => store }, writers, listen);
  // The server gives its whole gate.
  return { server, gate: gate as DrainGate };
}
