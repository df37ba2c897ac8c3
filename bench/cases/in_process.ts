/** `handle()` without a socket, compared with Hono's `app.fetch`. */

import assert from "node:assert/strict";
import type { Bench, Case, Group } from "../bench.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { inRounds } from "../rounds.ts";
import { ratioOf, type Row, spreadOf } from "../row.ts";

interface Answer {
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
    const [petstore, hono] = [await bench.inProcess("petstore"), await bench.inProcess("hono")];
    const series = await inRounds({
      petstore: () => measure(petstore, call, seconds),
      hono: () => measure(hono, call, seconds),
    }, rounds);
    for (const [round, { status, body }] of series.petstore.entries()) {
      assert.equal(status, series.hono[round]?.status);
      if (call !== "post") assert.equal(body, series.hono[round]?.body);
    }
    const figure = ratioOf(series.petstore.map(({ rate }) => rate), series.hono.map(({ rate }) => rate));
    const parts = { name, title: `In-process: ${what}`, subject: "handle()", base: "app.fetch of Hono" };
    const rows: Row[] = [{ ...parts, unit: "×", figure, floor: { bound: "at least", value: 4 }, notes: [] }];
    if (call !== "get") return rows;
    const time = spreadOf(series.petstore.map(({ rate }) => 1e6 / rate));
    const { base: _, ...alone } = parts;
    return [...rows, { ...alone, unit: "µs", figure: time, floor: { bound: "at most", value: 2 }, notes: [] }];
  }
  return { name, quick, run };
}

async function measure({ port }: ServerProcess, call: string, seconds: number): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}/?call=${call}&seconds=${seconds}`);
  return await response.json();
}
