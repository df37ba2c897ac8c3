/** The library on Deno, with pets in memory and without a log: beside the bare server, and called without a socket. */

import { checkLimit, checkStatus, readResponses } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import { NEW_PET } from "../catalogue.ts";
import { type Load, load } from "../load/wrk.ts";
import { inRounds, measureRounds, rateRow, withLoad } from "../rounds.ts";
import { type Floor, type Row, spreadOf } from "../row.ts";
import type { Calls } from "../servers/library.ts";

/** 64 connections that create pets. */
export const POST: Load = load("/v1/pets", { method: "POST", body: NEW_PET, status: 201 });

const READ: Floor = {
  bound: "at least",
  value: 1,
  missed: "The library also finds the route and the kept response, and checks the key in a time that reveals nothing.",
};

const CREATE: Floor = {
  bound: "at least",
  value: 0.85,
  missed:
    "The rest is a dozen small steps: the check of the key, the limits of a body, exact int64, validation and the store.",
};

export const LIBRARY: Group = [
  libraryCase("library-get", "GET one", load("/v1/pets/4242"), READ),
  libraryCase("library-list-20", "list of 20", load("/v1/pets"), READ),
  libraryCase("library-filtered", "filtered list of 20", load("/v1/pets?status=sold"), READ),
  libraryCase("library-post", "POST", POST, CREATE),
  { name: "in-process", quick: true, run: inProcess },
];

function libraryCase(name: string, what: string, asked: Load, floor: Floor): Case {
  async function run(bench: Bench): Promise<Row[]> {
    const memory = await bench.petstore("memory");
    const responses = await readResponses(memory, asked);
    const limit = await bench.limit(responses);
    await (asked.method === "POST" ? checkStatus(limit, asked) : checkLimit(limit, asked, responses));
    const series = await measureRounds(withLoad({ limit, memory }, asked), bench.effort);
    const parts = { name, title: `In memory: ${what}`, subject: "library", base: "bare Deno.serve", floor };
    return [rateRow(parts, series.memory, series.limit)];
  }
  return { name, quick: true, run };
}

/** The calls of the library's process, and how many microseconds each may take. */
const CALLS: Record<string, { title: string; most?: number; missed?: string }> = {
  get: {
    title: "kept GET one",
    most: 1,
    missed:
      "Deno's part is 0.8 µs: a quarter of the time is the clone of the Response, another the header fields of the " +
      "request, and a fifth its method and URL.",
  },
  list: { title: "kept list of 20" },
  create: { title: "POST", most: 12 },
};

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
  return Object.entries(CALLS).map(([call, { title, most, missed }]): Row => ({
    name: "in-process",
    title: `Without a socket: ${title}`,
    subject: "handle()",
    unit: "µs",
    figure: spreadOf((series[call] ?? []).map(({ rate }) => 1e6 / rate)),
    notes: [],
    ...most && { floor: { bound: "at most", value: most, ...missed && { missed } } },
  }));
}
