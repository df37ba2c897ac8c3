/**
 * `deno task bench latency`: how long many users wait. The requests come at a fixed rate, whatever the server does: 90 % GET and 5 % pages
 * over a million pets by Zipf's law, 5 % creates. The servers take turns of a minute.
 */

import { parseFlags, readCount, runTool } from "./command_line.ts";
import { Bench } from "./bench.ts";
import { LOAD_CORE } from "./load/cores.ts";
import type { OpenLoopResult, OpenLoopSettings } from "./load/open_loop.ts";
import { runPinned, type ServerProcess } from "./load/server_process.ts";
import { digits, table } from "./report/table.ts";

const HELP = `deno task bench latency [options]

  --minutes N   for each server, by default 10
  --rate N      requests a second, by default 4000
  --help        this text
`;

const PETS = 1_000_000;

/** The shares of the responses in the table, in percent. */
const SHOWN = [50, 90, 99, 99.9, 99.99, 100];

class Contender {
  readonly name: string;
  readonly #server: ServerProcess;
  readonly #latencies = new Map<number, number>();
  readonly memory: number[] = [];
  failures = 0;

  constructor(name: string, server: ServerProcess) {
    this.name = name;
    this.#server = server;
    this.memory.push(server.memory);
  }

  async load(rate: number, seconds: number, counts: boolean): Promise<void> {
    const settings: OpenLoopSettings = { port: this.#server.port, rate, seconds, pets: PETS };
    const line = await runPinned("../load/open_loop.ts", settings, { runtime: "Node", core: LOAD_CORE });
    const { latencies, failures } = JSON.parse(line) as OpenLoopResult;
    this.memory.push(this.#server.memory);
    this.failures += failures;
    if (!counts) return;
    for (const [latency, count] of latencies) this.#latencies.set(latency, (this.#latencies.get(latency) ?? 0) + count);
  }

  /** The milliseconds within which each of these shares of the responses came, in percent. */
  percentiles(shares: readonly number[]): number[] {
    const sorted = [...this.#latencies].sort(([a], [b]) => a - b);
    const all = sorted.reduce((sum, [, count]) => sum + count, 0);
    return shares.map((share) => {
      let left = Math.ceil(all * share / 100);
      return sorted.find(([, count]) => (left -= count) <= 0)![0] / 1000;
    });
  }
}

await runTool("bench-latency", async (folder) => {
  const flags = parseFlags(Deno.args, HELP, {
    minutes: { type: "string" },
    rate: { type: "string" },
  });
  const minutes = readCount("minutes", flags.minutes, 10), rate = readCount("rate", flags.rate, 4000);
  await using bench = new Bench({ rounds: 1, seconds: 1 }, folder);
  const contenders = [
    new Contender("Petstore", await bench.standalone({}, PETS)),
    new Contender("Fastify on Node", await bench.peer("fastify.ts", "Node", PETS)),
  ];
  for (const contender of contenders) await contender.load(rate, 10, false);
  for (let minute = 0; minute < minutes; minute++) {
    for (const contender of contenders) await contender.load(rate, 60, true);
  }
  const conditions = `${rate.toLocaleString("en")} requests a second for ${minutes} min`;
  console.log(
    `${conditions}. Latency in milliseconds; memory in MB: at the start, after ten seconds, after each minute\n`,
  );
  const head = ["server", ...SHOWN.map((share) => share === 100 ? "longest" : `${share} %`)];
  const lines = contenders.map((contender) => {
    const { name, failures, memory } = contender;
    return [name, ...contender.percentiles(SHOWN).map(digits), String(failures), memory.map(Math.round).join(", ")];
  });
  console.log(table([...head, "failures", "memory"], lines));
  return [];
});
