/** `handle()` without a socket against `app.fetch` of Hono. */

import assert from "node:assert/strict";
import type { Bench, Case, Group } from "../bench.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { ratioOf, type Row } from "../row.ts";

interface Answer {
  status: number;
  body: string;
  /** Calls per second. */
  rate: number;
}

/** Every kind of call. */
export const IN_PROCESS: Group = [
  inProcess("in-process-get", "GET one", "get", true),
  inProcess("in-process-list", "list of 20", "list", false),
  inProcess("in-process-post", "POST", "post", false),
];

function inProcess(name: string, what: string, call: string, quick: boolean): Case {
  async function run(bench: Bench): Promise<Row[]> {
    const petstore = await bench.inProcess("petstore");
    const hono = await bench.inProcess("hono");
    const rates: { petstore: number[]; hono: number[] } = { petstore: [], hono: [] };
    for (let round = 0; round <= bench.effort.rounds; round++) {
      const ours = await measure(petstore, call, bench.effort.seconds);
      const theirs = await measure(hono, call, bench.effort.seconds);
      assert.equal(ours.status, theirs.status);
      if (call !== "post") assert.equal(ours.body, theirs.body);
      if (round === 0) continue;
      rates.petstore.push(ours.rate);
      rates.hono.push(theirs.rate);
    }
    const figure = ratioOf(rates.petstore, rates.hono);
    const parts = { name, title: `In-process: ${what}`, subject: "handle()", base: "app.fetch of Hono" };
    return [{ ...parts, unit: "×", figure, floor: { bound: "at least", value: 4 }, notes: [] }];
  }
  return { name, quick, run };
}

async function measure({ port }: ServerProcess, call: string, seconds: number): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}/?call=${call}&seconds=${seconds}`);
  return await response.json();
}
