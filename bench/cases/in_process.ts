/** `handle()` without a socket, compared with Hono's `app.fetch`. */

import assert from "node:assert/strict";
import type { Bench, Case, Group } from "../bench.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { inRounds } from "../rounds.ts";
import { ratioOf, type Row, spreadOf } from "../row.ts";

interface Measured {
  status: number;
  body: string;
  /** Calls per second. */
  rate: number;
}

export const IN_PROCESS: Group = [
  inProcess("in-process-get", "GET one", "get", true),
  inProcess("in-process-list", "list of 20", "list", false),
  inProcess("in-process-post", "POST", "post", false),
];

function inProcess(name: string, what: string, call: string, quick: boolean): Case {
  async function run(bench: Bench): Promise<Row[]> {
    const { rounds, seconds } = bench.effort;
    const apps = ["petstore", "hono", ...call === "get" ? ["response" as const] : []] as const;
    const contenders: Record<string, () => Promise<Measured>> = {};
    for (const app of apps) {
      const server = await bench.inProcess(app);
      contenders[app] = () => measure(server, call, seconds);
    }
    const { petstore = [], hono = [], response = [] } = await inRounds(contenders, rounds);
    for (const [round, { status, body }] of petstore.entries()) {
      assert.equal(status, hono[round]?.status);
      if (call !== "post") assert.equal(body, hono[round]?.body);
    }
    const title = `In-process: ${what}`;
    const figure = ratioOf(petstore.map(({ rate }) => rate), hono.map(({ rate }) => rate));
    const parts = { name, title, subject: "handle()", notes: [] };
    const ofHono: Row = {
      ...parts,
      base: "app.fetch of Hono",
      unit: "×",
      figure,
      floor: { bound: "at least", value: 4 },
    };
    if (call !== "get") return [ofHono];
    const time = (results: readonly Measured[]) => spreadOf(results.map(({ rate }) => 1e6 / rate));
    return [
      ofHono,
      { ...parts, unit: "µs", figure: time(petstore), floor: { bound: "at most", value: 2 } },
      { ...parts, subject: "a Response alone", unit: "µs", figure: time(response) },
    ];
  }
  return { name, quick, run };
}

async function measure({ port }: ServerProcess, call: string, seconds: number): Promise<Measured> {
  const response = await fetch(`http://127.0.0.1:${port}/?call=${call}&seconds=${seconds}`);
  return await response.json();
}
