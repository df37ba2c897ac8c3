/** The library with pets in memory and without a log, on Deno and on Node, beside the bare server of the runtime. */

import type { Bench, Case, Group } from "../bench.ts";
import { NEW_PET } from "../catalogue.ts";
import type { Runtime } from "../load/runtimes.ts";
import { type Load, load } from "../load/wrk.ts";
import { checkLimit, readResponse } from "../responses.ts";
import { measureRounds, rateRow } from "../rounds.ts";
import type { Row } from "../row.ts";

/** 64 connections that create pets. */
export const POST: Load = load("/v1/pets", { method: "POST", body: NEW_PET, status: 201 });

const GET = load("/v1/pets/4242"), LIST = load("/v1/pets"), FILTERED = load("/v1/pets?status=sold");

export const LIBRARY: Group = [
  libraryCase("Deno", "library-get", "In memory: GET one", GET),
  libraryCase("Deno", "library-list-20", "In memory: list of 20", LIST),
  libraryCase("Deno", "library-filtered", "In memory: filtered list of 20", FILTERED),
  libraryCase("Deno", "library-post", "In memory: POST", POST),
];

export const ON_NODE: Group = [
  libraryCase("Node", "node-get", "Node: GET one", GET),
  libraryCase("Node", "node-list-20", "Node: list of 20", LIST),
  libraryCase("Node", "node-post", "Node: POST", POST),
];

function libraryCase(runtime: Runtime, name: string, title: string, asked: Load): Case {
  const base = runtime === "Deno" ? "bare Deno.serve" : "bare node:http";
  async function run(bench: Bench): Promise<Row[]> {
    const library = await bench.library(runtime);
    const response = await readResponse(library, asked);
    const limit = await bench.limit(response, runtime);
    await checkLimit(limit, asked, response);
    const series = await measureRounds({ limit, library }, asked, bench.effort);
    return [rateRow({ name, title, subject: "library", base }, series.library, series.limit)];
  }
  return { name, run };
}
