/**
 * `deno task bench latency`: how long many users wait. The requests come at a fixed rate, whatever
 * the server does: 90 % GET and 5 % pages over a million pets by Zipf's law, 5 % creates. The
 * servers take turns of a minute.
 */

import { fileURLToPath } from "node:url";
import { NODE } from "../tests/support/server/serve_task.ts";
import type { OpenLoopSettings } from "./load/open_loop.ts";
import { LOAD_CORE, STOP } from "./load/wrk.ts";
import { digits, table } from "./report/page.ts";
import { startFilled, startPeer } from "./sections.ts";

const PETS = 1_000_000;

/** The shares of the responses in the table, in percent. */
const SHOWN = [50, 90, 99, 99.9, 99.99, 100];

export async function measureLatency(
  folder: string,
  { minutes, rate }: { minutes: number; rate: number },
): Promise<void> {
  await using petstore = await startFilled({ folder: Deno.makeTempDirSync({ dir: folder }) }, PETS);
  await using fastify = await startPeer("fastify.ts", "Node", { folder }, PETS);
  const contenders = [
    { name: "Petstore", server: petstore, latencies: [] as number[] },
    { name: "Fastify on Node", server: fastify, latencies: [] as number[] },
  ];
  const turn = { rate, seconds: 60, pets: PETS };
  for (const { server: { port } } of contenders) await runOpenLoop({ ...turn, port, seconds: 10 });
  for (let minute = 1; minute <= minutes; minute++) {
    for (const { server: { port }, latencies } of contenders) {
      for (const latency of await runOpenLoop({ ...turn, port })) latencies.push(latency);
    }
  }
  const lines = contenders.map(({ name, server, latencies }) => {
    const sorted = Float64Array.from(latencies).sort();
    const percentiles = SHOWN.map((share) => sorted[Math.ceil(sorted.length * share / 100) - 1]!);
    return [name, ...percentiles.map(digits), String(Math.round(server.memory))];
  });
  console.log(`${rate} requests a second for ${minutes} min. Latency in milliseconds, memory at the end in MB\n`);
  console.log(table(["server", ...SHOWN.map((share) => `${share} %`), "memory"], lines));
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
