/** Reads of many addresses, beside a server that is written by hand. */

import { formatCursor } from "../../lib/operations/paging.ts";
import { checkBodies, readResponses } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import type { Runtime } from "../load/runtimes.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateOnly, rateRow, type Series, withLoad } from "../rounds.ts";
import type { Floor, Row } from "../row.ts";

const PETS = 1_000_000;

/** Skewed as in YCSB. */
const SKEW = 0.99;

/** In seconds: until what is asked for is in a cache. */
const WARM_UP = 5;

/** By their names on the page. The first is compared with the second. */
type Contenders = Record<string, ServerProcess>;

export const PETSTORE = "Petstore", HANDWRITTEN = "hand-written", FASTIFY = "Fastify on Node";

const PATH = "/v1/pets/{id}", PAGE = "/v1/pets?cursor={cursor}";
const FILTERED = "/v1/pets?status=available&cursor={cursor}";

const MISSED = {
  memory:
    "Half of the time of both is the kernel's, for the network. The petstore also finds the route and the caller, hashes the text for " +
    "the entity tag, and looks whether it has the response already: 1.8 µs in a loop, and some 5 between requests.",
  pages:
    "By perf, the kernel takes 42 % of the time of both: Deno sends a response of more than 512 bytes by two calls. The statement takes " +
    "14 to 24 µs in a loop, the hand-written one 35 to 38, and the petstore's own code 4 % of the time.",
  node: "As in memory on Deno: what the petstore does beside the statement takes 3 to 4 µs between requests.",
};

export const READS: Group = [
  readCase("reads-1000", "GET of random pets of 1,000", atRandom(PATH, 1000), 1.2),
  readCase("reads-20000", "GET of random pets of 20,000", atRandom(PATH, 20_000), 0.9),
  readCase("reads-100000", "GET of random pets of 100,000", atRandom(PATH, 100_000), 0.9),
  readCase("reads-million", "GET of random pets of a million", atRandom(PATH, PETS), 0.8),
  readCase("reads-zipf", "GET of pets of a million, Zipf 0.99", atRandom(PATH, PETS, SKEW), 0.95),
  readCase("reads-pages", "random pages of 20", atRandom(PAGE, PETS), 1.1, byDefault, MISSED.pages),
  readCase(
    "reads-filtered",
    "random pages of 20 with a status",
    atRandom(FILTERED, PETS),
    1.1,
    byDefault,
    MISSED.pages,
  ),
  readCase(
    "reads-memory",
    "in memory: GET of random pets of 100,000",
    atRandom(PATH, 100_000),
    1,
    inMemory,
    MISSED.memory,
  ),
  readCase("reads-node", "Node: GET of random pets of 100,000", atRandom(PATH, 100_000), 0.9, onNode, MISSED.node),
  readCase("reads-node-pages", "Node: random pages of 20", atRandom(PAGE, 100_000), 1, onNode, MISSED.pages),
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
    const servers = await start(bench);
    const some = load([1n, 777n].map((id) => addressOf(asked, id)));
    const responses = await readResponses(servers[PETSTORE]!, some);
    for (const server of Object.values(servers)) await checkBodies(server, some, responses);
    const effort = { ...bench.effort, warmUp: WARM_UP };
    const series: Record<string, Series> = await measureRounds(withLoad(servers, asked), effort);
    const parts = { name, title: `Any address: ${title}`, subject: PETSTORE };
    return [
      ...Object.keys(servers).map((subject) => rateOnly({ ...parts, subject }, series[subject]!)),
      rateRow({ ...parts, base: HANDWRITTEN, floor }, series[PETSTORE]!, series[HANDWRITTEN]!),
    ];
  }
  return { name, quick: name === "reads-million", run };
}

function addressOf({ paths: [path = ""] }: Load, id: bigint): string {
  return path.replace("{id}", String(id)).replace("{cursor}", formatCursor(id));
}

async function byDefault(bench: Bench): Promise<Contenders> {
  return {
    [PETSTORE]: await bench.standalone("a million", { flags: ["--log=off"] }, PETS),
    [HANDWRITTEN]: await bench.handwritten("Deno", PETS),
    [FASTIFY]: await bench.peer("fastify.ts", "Node", "sqlite", PETS),
  };
}

async function inMemory(bench: Bench): Promise<Contenders> {
  return { [PETSTORE]: await bench.petstore("memory"), [HANDWRITTEN]: await bench.handwritten("Deno") };
}

async function onNode(bench: Bench): Promise<Contenders> {
  const runtime: Runtime = "Node";
  return {
    [PETSTORE]: await bench.petstore("sqlite", runtime),
    [HANDWRITTEN]: await bench.handwritten(runtime, 100_000),
  };
}
