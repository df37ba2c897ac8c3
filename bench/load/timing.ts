/** The time of a command, by the clock and by its processor time. */

import { environment } from "../../tests/support/server/serve_task.ts";
import { SERVER_CORE } from "./cores.ts";

/** In seconds. */
export interface Timing {
  elapsed: number;
  processor: number;
}

/** Runs a command to its end on the servers' core. What it prints is dropped. */
export async function timeCommand(command: readonly string[], env: Record<string, string> = {}): Promise<Timing> {
  const script = `TIMEFORMAT='%R %U %S'; time "$@" > /dev/null`;
  const { success, stderr } = await new Deno.Command("taskset", {
    args: ["-c", String(SERVER_CORE), "bash", "-c", script, "bash", ...command],
    env: { ...environment(), ...env },
    stdout: "null",
    stderr: "piped",
  }).output();
  const written = new TextDecoder().decode(stderr);
  const [, elapsed, user, system] = /^([\d.]+) ([\d.]+) ([\d.]+)$/m.exec(written) ?? [];
  if (!success || elapsed === undefined) throw new Error(`${command.join(" ")} failed: ${written}`);
  return { elapsed: Number(elapsed), processor: Number(user) + Number(system) };
}
