/**
 * `deno task bench latency`: how long many users wait. The requests come at a fixed rate, whatever the server does: 90 % GET and 5 % pages
 * over a million pets by Zipf's law, 5 % creates. The servers take turns of a minute.
 */

import { parseFlags, readCount, runTool } from "../tools/command_line.ts";
import { Bench } from "./bench.ts";
import { LOAD_CORE } from "./load/cores.ts";
import type { OpenLoopResult, OpenLoopSettings } from "./load/open_loop.ts";
import { runPinned, type ServerProcess } from "./load/server_process.ts";

const HELP = `deno task bench latency [options]

  --minutes N   for each server, by default 10
  --rate N      requests a second, by default 4000
  --help        this text
`;

const PETS = 1_000_000;

/** The share of the responses that are not later, in percent. */
const SHARES = [50, 90, 99, 99.9, 99.99, 100];

class Contender {
  readonly name: string;
  readonly #server: ServerProcess;
  readonly #latencies = new Map<number, number>();
  readonly memory: number[] = [];
  failures = 0;
  connections = 0;

  constructor(name: string, server: ServerProcess) {
    this.name = name;
    this.#server = server;
    this.memory.push(server.memory);
  }

  async load(rate: number, seconds: number, counts: boolean): Promise<void> {
    const settings: OpenLoopSettings = { port: this.#server.port, rate, seconds, pets: PETS };
    const line = await runPinned("../load/open_loop.ts", settings, { runtime: "Node", core: LOAD_CORE });
    const { latencies, failures, connections } = JSON.parse(line) as OpenLoopResult;
    this.memory.push(this.#server.memory);
    this.failures += failures;
    if (!counts) return;
    this.connections = Math.max(this.connections, connections);
    for (const [latency, count] of latencies) this.#latencies.set(latency, (this.#latencies.get(latency) ?? 0) + count);
  }

  /** In milliseconds. */
  percentiles(): number[] {
    const sorted = [...this.#latencies].sort(([a], [b]) => a - b);
    const all = sorted.reduce((sum, [, count]) => sum + count, 0);
    return SHARES.map((share) => {
      let left = Math.ceil(all * share / 100);
      return sorted.find(([, count]) => (left -= count) <= 0)![0] / 1000;
    });
  }
}

await runTool("bench-latency", async (folder) => {
  const flags = parseFlags(Deno.args, HELP, { minutes: { type: "string" }, rate: { type: "string" } });
  const minutes = readCount("minutes", flags.minutes, 10), rate = readCount("rate", flags.rate, 4000);
  await using bench = new Bench({ rounds: 1, seconds: 1, warmUp: 0 }, folder, PETS);
  const contenders = [
    new Contender("Petstore", await bench.standalone("latency", {}, PETS)),
    new Contender("hand-written", await bench.handwritten("Deno", PETS)),
    new Contender("Fastify on Node", await bench.peer("fastify.ts", "Node", "sqlite", PETS)),
  ];
  for (const contender of contenders) await contender.load(rate, 10, false);
  for (let minute = 0; minute < minutes; minute++) {
    for (const contender of contenders) await contender.load(rate, 60, true);
  }
  console.log(
    `${rate} requests a second for ${minutes} minutes. Latency in milliseconds; memory in MB, minute by minute`,
  );
  console.log(["".padEnd(16), ...SHARES.map((share) => `${share} %`.padStart(9)), "failures", "connections"].join(" "));
  for (const contender of contenders) {
    const { name, failures, connections, memory } = contender;
    const shown = contender.percentiles().map((each) => each.toPrecision(3).padStart(9));
    console.log([name.padEnd(16), ...shown, String(failures).padStart(8), String(connections).padStart(11)].join(" "));
    console.log(`${"".padEnd(16)} ${memory.map(Math.round).join(" ")}`);
  }
  return [];
});
