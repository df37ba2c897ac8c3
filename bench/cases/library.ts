/** The library with pets in memory and without a log, on Deno and on Node, beside the bare server of the runtime. */

import type { Bench, Case, Group } from "../bench.ts";
import { NEW_PET } from "../catalogue.ts";
import { type Load, load } from "../load/wrk.ts";
import { checkBodies, checkLimit, readResponse } from "../responses.ts";
import { measureRounds, rateRow, withLoad } from "../rounds.ts";
import type { Row } from "../row.ts";

/** 64 connections that create pets. */
export const POST: Load = load("/v1/pets", { method: "POST", body: NEW_PET, status: 201 });

const GET = load("/v1/pets/4242"), LIST = load("/v1/pets");

export const LIBRARY: Group = [
  onDeno("library-get", "GET one", GET),
  onDeno("library-list-20", "list of 20", LIST),
  onDeno("library-filtered", "filtered list of 20", load("/v1/pets?status=sold")),
  onDeno("library-post", "POST", POST),
];

export const ON_NODE: Group = [
  onNode("node-get", "GET one", GET),
  onNode("node-list-20", "list of 20", LIST),
  onNode("node-post", "POST", POST),
];

function onDeno(name: string, what: string, asked: Load): Case {
  async function run(bench: Bench): Promise<Row[]> {
    const memory = await bench.library("Deno");
    const response = await readResponse(memory, asked);
    const limit = await bench.limit(response, "Deno");
    await checkLimit(limit, asked, response);
    const series = await measureRounds(withLoad({ limit, memory }, asked), bench.effort);
    const parts = { name, title: `In memory: ${what}`, subject: "library", base: "bare Deno.serve" };
    return [rateRow(parts, series.memory, series.limit)];
  }
  return { name, run };
}

const BARE = "bare node:http", FASTIFY = "Fastify";

function onNode(name: string, what: string, asked: Load): Case {
  async function run(bench: Bench): Promise<Row[]> {
    const library = await bench.library("Node");
    const response = await readResponse(library, asked);
    const limit = await bench.limit(response, "Node");
    const framework = await bench.peer("fastify.ts", "Node");
    await checkLimit(limit, asked, response);
    await checkBodies([framework], asked, response);
    const series = await measureRounds(withLoad({ limit, library, framework }, asked), bench.effort);
    const parts = { name, title: `Node: ${what}`, subject: "library" };
    return [
      rateRow({ ...parts, base: BARE }, series.library, series.limit),
      rateRow({ ...parts, base: FASTIFY }, series.library, series.framework),
      rateRow({ ...parts, subject: FASTIFY, base: BARE }, series.framework, series.limit),
    ];
  }
  return { name, run };
}
