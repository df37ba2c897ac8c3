/**
 * `deno task bench kv`: what several servers create together on one file of Deno KV, beside one server. Each is a process, and the
 * numbers of servers take turns in every round, so that they share what else the machine does.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseFlags, readCount, runTool } from "../tools/command_line.ts";
import { Child } from "../tests/support/system/child.ts";
import { inRounds } from "./rounds.ts";
import { ratioOf, spreadOf } from "./row.ts";
import type { KvCreates, KvCreatesSettings } from "./servers/kv_creates.ts";

const HELP = `deno task bench kv [options]

  --rounds N    measured rounds, by default 7
  --help        this text
`;

const SERVERS = [1, 2, 4], CLIENTS = 64;
/** How long each number of servers is measured in a round, in seconds. */
const TURN = 2;

const SERVER = fileURLToPath(new URL("servers/kv_creates.ts", import.meta.url));

/** The port of a new server. */
async function start(path: string): Promise<number> {
  const settings: KvCreatesSettings = { path, clients: CLIENTS };
  const args = ["run", "--allow-all", "--no-check", "--unstable-kv", SERVER, JSON.stringify(settings)];
  const [port] = await new Child(Deno.execPath(), args).printed(/^\d+$/m);
  return Number(port);
}

async function measure(ports: readonly number[]): Promise<KvCreates> {
  const measured = await Promise.all(ports.map(async (port): Promise<KvCreates> => {
    return await (await fetch(`http://127.0.0.1:${port}/?seconds=${TURN}`)).json();
  }));
  return {
    rate: measured.reduce((sum, { rate }) => sum + rate, 0),
    longest: Math.max(...measured.map(({ longest }) => longest)),
  };
}

await runTool("bench-kv", async (folder) => {
  const rounds = readCount("rounds", parseFlags(Deno.args, HELP, { rounds: { type: "string" } }).rounds, 7);
  const ports: number[] = [];
  while (ports.length < Math.max(...SERVERS)) ports.push(await start(join(folder, "kv")));
  const turns = Object.fromEntries(SERVERS.map((count) => [count, () => measure(ports.slice(0, count))]));
  const series = await inRounds(turns, rounds);
  const alone = series["1"]!.map(({ rate }) => rate);
  console.log(
    "servers   creates a second, beside one (low/median/high)   longest create of a turn, in ms (median/high)",
  );
  for (const count of SERVERS) {
    const measured = series[count]!;
    const { low, median, high } = ratioOf(measured.map(({ rate }) => rate), alone);
    const waits = spreadOf(measured.map(({ longest }) => longest));
    const ratios = [low, median, high].map((ratio) => ratio.toPrecision(2)).join("/");
    const rate = `${Math.round(spreadOf(measured.map(({ rate }) => rate)).median)}, ${ratios}`;
    console.log(`${String(count).padEnd(9)} ${rate.padEnd(52)} ${Math.round(waits.median)}/${Math.round(waits.high)}`);
  }
  return [];
});
