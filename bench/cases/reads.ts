/** Reads of many addresses, beside a server that is written by hand. */

import { checkBodies, readResponses } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import type { Runtime } from "../load/runtimes.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateRow, withLoad } from "../rounds.ts";
import type { Floor, Row } from "../row.ts";

const PETS = 1_000_000;

/** Skewed as in YCSB. */
const SKEW = 0.99;

/** In seconds: until what is asked for is in a cache. */
const WARM_UP = 6;

type Contenders = Record<"petstore" | "handwritten", ServerProcess>;

const PATH = "/v1/pets/{id}", PAGE = "/v1/pets?cursor={cursor}";

const MISSED = {
  memory:
    "A look into a Map takes next to nothing. The petstore also finds the route and the caller, hashes the text for the " +
    "entity tag, and looks whether it has the response already: 3 µs, between requests twice as long as in a loop.",
  node: "As in memory on Deno: what the petstore does beside the statement takes 3 to 4 µs between requests.",
};

export const READS: Group = [
  readCase("reads-1000", "GET of random pets of 1,000", atRandom(PATH, 1000), 1.2),
  readCase("reads-20000", "GET of random pets of 20,000", atRandom(PATH, 20_000), 0.9),
  readCase("reads-100000", "GET of random pets of 100,000", atRandom(PATH, 100_000), 0.9),
  readCase("reads-million", "GET of random pets of a million", atRandom(PATH, PETS), 0.8),
  readCase("reads-zipf", "GET of pets of a million, Zipf 0.99", atRandom(PATH, PETS, SKEW), 0.95),
  readCase("reads-pages", "random pages of 20", atRandom(PAGE, PETS), 1.1),
  readCase(
    "reads-memory",
    "in memory: GET of random pets of 100,000",
    atRandom(PATH, 100_000),
    1,
    inMemory,
    MISSED.memory,
  ),
  readCase("reads-node", "Node: GET of random pets of 100,000", atRandom(PATH, 100_000), 0.9, onNode, MISSED.node),
];

function atRandom(path: string, pets: number, skew = 0): Load {
  return load(path, { connections: 32, random: { pets, skew } });
}

function readCase(
  name: string,
  title: string,
  asked: Load,
  value: number,
  start: (bench: Bench) => Promise<Contenders> = byDefault,
  missed?: string,
): Case {
  const floor: Floor = { bound: "at least", value, ...missed && { missed } };
  async function run(bench: Bench): Promise<Row[]> {
    const { petstore, handwritten } = await start(bench);
    const some = load([PATH.replace("{id}", "1"), PATH.replace("{id}", "777")]);
    await checkBodies(handwritten, some, await readResponses(petstore, some));
    const effort = { ...bench.effort, warmUp: WARM_UP };
    const series = await measureRounds(withLoad({ petstore, handwritten }, asked), effort);
    const parts = { name, title: `Any address: ${title}`, subject: "Petstore", base: "hand-written", floor };
    return [rateRow(parts, series.petstore, series.handwritten)];
  }
  return { name, quick: name === "reads-million", run };
}

async function byDefault(bench: Bench): Promise<Contenders> {
  return {
    petstore: await bench.standalone("a million", { flags: ["--log=off"] }, PETS),
    handwritten: await bench.handwritten("Deno", PETS),
  };
}

async function inMemory(bench: Bench): Promise<Contenders> {
  return { petstore: await bench.petstore("memory"), handwritten: await bench.handwritten("Deno") };
}

async function onNode(bench: Bench): Promise<Contenders> {
  const runtime: Runtime = "Node";
  return { petstore: await bench.petstore("sqlite", runtime), handwritten: await bench.handwritten(runtime, 100_000) };
}
