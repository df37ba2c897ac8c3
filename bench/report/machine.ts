/** What the figures were taken with, and on: nobody can repeat a figure without it. */

import { DatabaseSync } from "node:sqlite";
import { runtimeCommand } from "../load/runtimes.ts";

/** Names and what they stand for, in the order in which they are shown. */
export type Facts = readonly (readonly [name: string, value: string])[];

const PEERS = ["hono", "@hono/zod-validator", "zod", "elysia", "fastify", "@fastify/bearer-auth", "srvx"];

/** The versions of everything that takes part. */
export async function readVersions(): Promise<Facts> {
  const config = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const peers = PEERS.map((name) => [name, String(config.imports[name]).split("@").at(-1) ?? ""] as const);
  return [
    ["Petstore", config.version],
    ["Deno", Deno.version.deno],
    ["V8", Deno.version.v8],
    ["SQLite", sqliteVersion()],
    ["Node", firstLine(runtimeCommand("Node")[0] ?? "", "--version").replace(/^v/, "")],
    ["Bun", firstLine(runtimeCommand("Bun")[0] ?? "", "--version")],
    ["wrk", firstLine("wrk", "--version").split(" ")[1] ?? ""],
    ...peers,
  ];
}

/** The machine, and the disk that the databases are on. */
export function readMachine(folder: string): Facts {
  const model = /^model name\s*: (.*)$/m.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? Deno.build.arch;
  return [
    ["processor", `${model}, ${navigator.hardwareConcurrency} cores`],
    ["memory", `${Math.round(Deno.systemMemoryInfo().total / 2 ** 30)} GiB`],
    ["kernel", `${Deno.build.os} ${Deno.osRelease()}`],
    ["file system", firstLine("stat", "--file-system", "--format=%T", folder)],
    ["an fsync", `${measureSync(folder).toFixed(2)} ms`],
  ];
}

/** The share of the processors' time, 0 to 1, that something else uses just now. */
export async function measureDisturbance(): Promise<number> {
  const before = readTimes();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const after = readTimes();
  return 1 - (after.idle - before.idle) / (after.total - before.total);
}

/** The first line of /proc/stat: user, nice, system, idle, iowait, … */
function readTimes(): { idle: number; total: number } {
  const [line = ""] = Deno.readTextFileSync("/proc/stat").split("\n");
  const times = line.trim().split(/\s+/).slice(1).map(Number);
  return { idle: (times[3] ?? 0) + (times[4] ?? 0), total: times.reduce((sum, time) => sum + time, 0) };
}

/** What a commit waits for, in milliseconds: where this is next to nothing, so is what durable creation costs. */
function measureSync(folder: string): number {
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

function sqliteVersion(): string {
  const db = new DatabaseSync(":memory:");
  const version = db.prepare("SELECT sqlite_version() AS version").get()?.["version"];
  db.close();
  return String(version);
}

/** wrk says its version with the exit status 1. */
function firstLine(command: string, ...args: string[]): string {
  try {
    const { stdout } = new Deno.Command(command, { args, stderr: "null" }).outputSync();
    return new TextDecoder().decode(stdout).split("\n")[0]?.trim() ?? "";
  } catch {
    return "not there";
  }
}
