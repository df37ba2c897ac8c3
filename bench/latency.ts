/**
 * `deno task bench latency`: how long many users wait. The requests come at a fixed rate, whatever
 * the server does: 90 % GET and 5 % pages over a million pets by Zipf's law, 5 % creates. The
 * servers take turns of a minute.
 */

import { fileURLToPath } from "node:url";
import { NODE } from "../tests/support/server/serve_task.ts";
import { LOAD_CORE, STOP } from "./load/machine.ts";
import type { ServerProcess } from "./load/server_process.ts";
import type { OpenLoopSettings } from "./load/open_loop.ts";
import { digits, table } from "./report/table.ts";
import { startFilled, startPeer } from "./sections.ts";

const PETS = 1_000_000;

/** The shares of the responses in the table, in percent. */
const SHOWN = [50, 90, 99, 99.9, 99.99, 100];

interface Contender {
  name: string;
  server: ServerProcess;
  latencies: number[];
  /** The resident memory after each turn, in MB. */
  memory: number[];
}

export async function measureLatency(
  folder: string,
  { minutes, rate }: { minutes: number; rate: number },
): Promise<void> {
  await using petstore = await startFilled({ folder: Deno.makeTempDirSync({ dir: folder }) }, PETS);
  await using fastify = await startPeer("fastify.ts", "Node", { folder }, PETS);
  const contenders: Contender[] = Object.entries({ "Petstore": petstore, "Fastify on Node": fastify })
    .map(([name, server]) => ({ name, server, latencies: [], memory: [Math.round(server.memory)] }));
  for (let minute = 0; minute <= minutes; minute++) {
    for (const { server, latencies, memory } of contenders) {
      const isWarmUp = minute === 0;
      const measured = await runOpenLoop({ port: server.port, rate, seconds: isWarmUp ? 10 : 60, pets: PETS });
      if (!isWarmUp) { for (const latency of measured) latencies.push(latency); }
      memory.push(Math.round(server.memory));
    }
  }
  console.log(
    `${rate} requests a second for ${minutes} min. Latency in milliseconds; memory in MB, also before and after
ten seconds\n`,
  );
  const head = ["server", ...SHOWN.map((share) => share === 100 ? "longest" : `${share} %`), "memory"];
  console.log(table(head, contenders.map(cells)));
}

/** The latencies of one turn, in milliseconds. */
async function runOpenLoop(settings: OpenLoopSettings): Promise<number[]> {
  const script = fileURLToPath(new URL("load/open_loop.ts", import.meta.url));
  const args = ["-c", String(LOAD_CORE), NODE, script, JSON.stringify(settings)];
  const { success, stdout } = await new Deno.Command("taskset", { args, stderr: "inherit", signal: STOP.signal })
    .output();
  if (!success) throw new Error("The load has failed");
  return JSON.parse(new TextDecoder().decode(stdout));
}

function cells({ name, latencies, memory }: Contender): string[] {
  const sorted = Float64Array.from(latencies).sort();
  const percentiles = SHOWN.map((share) => sorted[Math.ceil(sorted.length * share / 100) - 1]!);
  return [name, ...percentiles.map(digits), memory.join(", ")];
}
