/** The software and the machine of a run. */

import { runtimeCommand } from "../load/runtimes.ts";

/** Names and values, in the order of the page. */
export type Facts = readonly (readonly [name: string, value: string])[];

const PEERS = ["hono", "@hono/zod-validator", "zod", "fastify"];

/** The versions of all software in the benchmark, the machine, and the disk with the databases. */
export async function readFacts(folder: string): Promise<Facts> {
  const config = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const model = /^model name\s*: (.*)$/m.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? Deno.build.arch;
  const peers = PEERS.map((name) => [name, String(config.imports[name]).split("@").at(-1) ?? ""] as const);
  return [
    ["Petstore", config.version],
    ["Deno", Deno.version.deno],
    ["Node", firstLine(runtimeCommand("Node")[0] ?? "", "--version").replace(/^v/, "")],
    ["wrk", firstLine("wrk", "--version").split(" ")[1] ?? ""],
    ...peers,
    ["processor", `${model}, ${navigator.hardwareConcurrency} cores`],
    ["memory", `${Math.round(Deno.systemMemoryInfo().total / 2 ** 30)} GiB`],
    ["kernel", `${Deno.build.os} ${Deno.osRelease()}`],
    ["file system", firstLine("stat", "--file-system", "--format=%T", folder)],
    ["an fsync", `${measureSync(folder).toFixed(2)} ms`],
  ];
}

/** The share of the processors' time, 0 to 1, that other work uses at the moment. */
export async function measureDisturbance(): Promise<number> {
  const before = readTimes();
  await new Promise((resolve) => setTimeout(resolve, 500));
  const after = readTimes();
  return 1 - (after.idle - before.idle) / (after.total - before.total);
}

/** The first line of /proc/stat: user, nice, system, idle, iowait, … */
function readTimes(): { idle: number; total: number } {
  const [line = ""] = Deno.readTextFileSync("/proc/stat").split("\n");
  const times = line.trim().split(/\s+/).slice(1).map(Number);
  return { idle: (times[3] ?? 0) + (times[4] ?? 0), total: times.reduce((sum, time) => sum + time, 0) };
}

/** The median time of an fsync, in milliseconds. The cost of durable creates depends on it. */
export function measureSync(folder: string): number {
  const times: number[] = [];
  using file = Deno.openSync(`${folder}/sync`, { write: true, create: true });
  for (let i = 0; i < 51; i++) {
    file.writeSync(new Uint8Array(4096));
    const begin = performance.now();
    file.syncDataSync();
    times.push(performance.now() - begin);
  }
  return times.toSorted((a, b) => a - b)[25] ?? 0;
}

/** The first line of a program's output. The exit status is ignored: wrk prints its version with 1. */
function firstLine(command: string, ...args: string[]): string {
  try {
    const { stdout } = new Deno.Command(command, { args, stderr: "null" }).outputSync();
    return new TextDecoder().decode(stdout).split("\n")[0]?.trim() ?? "";
  } catch {
    return "not installed";
  }
}
