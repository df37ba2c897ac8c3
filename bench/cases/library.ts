/** The library on Deno, with pets in memory and without a log: beside the bare server, and called without a socket. */

import { checkLimit, checkStatus, readResponses } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import { NEW_PET } from "../catalogue.ts";
import { type Load, load } from "../load/wrk.ts";
import { inRounds, measureRounds, rateRow, withLoad } from "../rounds.ts";
import { type Row, spreadOf } from "../row.ts";
import type { Calls } from "../servers/library.ts";

/** 64 connections that create pets. */
export const POST: Load = load("/v1/pets", { method: "POST", body: NEW_PET, status: 201 });

export const LIBRARY: Group = [
  libraryCase("library-get", "GET one", load("/v1/pets/4242")),
  libraryCase("library-list-20", "list of 20", load("/v1/pets")),
  libraryCase("library-filtered", "filtered list of 20", load("/v1/pets?status=sold")),
  libraryCase("library-post", "POST", POST),
  { name: "in-process", quick: true, run: inProcess },
];

function libraryCase(name: string, what: string, asked: Load): Case {
  async function run(bench: Bench): Promise<Row[]> {
    const memory = await bench.petstore("memory");
    const responses = await readResponses(memory, asked);
    const limit = await bench.limit(responses);
    await (asked.method === "POST" ? checkStatus(limit, asked) : checkLimit(limit, asked, responses));
    const series = await measureRounds(withLoad({ limit, memory }, asked), bench.effort);
    const parts = { name, title: `In memory: ${what}`, subject: "library", base: "bare Deno.serve" };
    return [rateRow(parts, series.memory, series.limit)];
  }
  return { name, quick: true, run };
}

/** The calls of the library's process. */
const CALLS: Record<string, string> = { get: "kept GET one", list: "kept list of 20", create: "POST" };

async function inProcess(bench: Bench): Promise<Row[]> {
  const { port } = await bench.library();
  const call = (name: string) => async (): Promise<Calls> => {
    const response = await fetch(`http://127.0.0.1:${port}/in-process?call=${name}&seconds=${bench.effort.seconds}`);
    return await response.json();
  };
  const series = await inRounds(
    Object.fromEntries(Object.keys(CALLS).map((name) => [name, call(name)])),
    bench.effort.rounds,
  );
  return Object.entries(CALLS).map(([call, title]): Row => ({
    name: "in-process",
    title: `Without a socket: ${title}`,
    subject: "handle()",
    unit: "µs",
    figure: spreadOf((series[call] ?? []).map(({ rate }) => 1e6 / rate)),
    notes: [],
  }));
}
