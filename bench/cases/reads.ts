/** Reads: the petstore on both stores, compared with the limit and with Hono. */

import { checkBodies, checkLimit, readResponses, walk } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import { CATALOGUE_SIZE, sample } from "../catalogue.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateRow, type Series, withLoad } from "../rounds.ts";
import type { Floor, Row } from "../row.ts";

/** Resources of a case that requests many. The titles of the cases repeat the number. */
const MANY = 1_000;

const FLOORS = {
  memory: { bound: "at least", value: 0.9 },
  sqlite: { bound: "at least", value: 0.85 },
  peer: { bound: "at least", value: 4 },
} satisfies Record<string, Floor>;

const HOT_PET = "/v1/pets/4242";

export const READS: Group = [
  readCase("get-hot", "GET one, always the same pet", true, () => load(HOT_PET)),
  readCase("get-random", "GET one, 1,000 pets at random", false, () => load(randomPets())),
  readCase("list-20", "List of 20", true, () => load("/v1/pets")),
  readCase("list-100", "List of 100", false, () => load("/v1/pets?limit=100")),
  readCase("list-filtered", "Filtered list of 20", false, () => load("/v1/pets?status=sold")),
  readCase("list-deep", "1,000 deep pages of 20 at random", false, deepPages),
  { name: "get-head-read", quick: true, run: headRead },
];

function randomPets(): string[] {
  return sample(MANY, 1, CATALOGUE_SIZE).map((id) => `/v1/pets/${id}`);
}

/** Pages from the second half of the catalogue, found by following the links. */
async function deepPages(bench: Bench): Promise<Load> {
  const all = await walk(await bench.petstore("memory"), load("/v1/pets?limit=20"));
  // The last page has no link, so it is left out.
  return load(sample(MANY, all.length >> 1, all.length - 2).map((index) => all[index] ?? ""));
}

/** The cost of reading a request's head for the limit, and the petstore compared with that. */
async function headRead(bench: Bench): Promise<Row[]> {
  const asked = load(HOT_PET);
  const memory = await bench.petstore("memory");
  const responses = await readResponses(memory, asked);
  const limit = await bench.limit(responses);
  const reader = await bench.limit(responses, { reads: "head" });
  for (const server of [limit, reader]) await checkLimit(server, asked, responses);
  const series = await measureRounds(withLoad({ limit, reader, memory }, asked), bench.effort);
  const parts = { name: "get-head-read", title: "GET one, beside a limit that reads the head" };
  return [
    rateRow({ ...parts, subject: "limit that reads", base: "limit" }, series.reader, series.limit),
    rateRow({ ...parts, subject: "memory store", base: "limit that reads" }, series.memory, series.reader),
  ];
}

function readCase(name: string, title: string, quick: boolean, prepare: (bench: Bench) => Load | Promise<Load>): Case {
  async function run(bench: Bench): Promise<Row[]> {
    const asked = await prepare(bench);
    const memory = await bench.petstore("memory");
    const sqlite = await bench.petstore("sqlite");
    const hono = await bench.peer("hono.ts", "Deno");
    const responses = await readResponses(memory, asked);
    const limit = await bench.limit(responses);
    for (const server of [memory, sqlite, hono]) await checkBodies(server, asked, responses);
    await checkLimit(limit, asked, responses);
    const contenders = { limit, memory, sqlite, hono };
    const series = await measureRounds(withLoad(contenders, asked), bench.effort);
    const row = (subject: string, base: string, of: Series, to: Series, floor?: Floor) =>
      rateRow({ name, title, subject, base, ...floor && { floor } }, of, to);
    return [
      row("memory store", "limit", series.memory, series.limit, FLOORS.memory),
      row("SQLite store", "limit", series.sqlite, series.limit, FLOORS.sqlite),
      row("memory store", "Hono", series.memory, series.hono, FLOORS.peer),
      row("Hono", "limit", series.hono, series.limit),
    ];
  }
  return { name, quick, run };
}
