/** Reads of many addresses, beside a server that is written by hand. */

import { formatCursor } from "../../lib/operations/paging.ts";
import { checkBodies, readResponses } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import type { Runtime } from "../load/runtimes.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateOnly, rateRow, type Series, withLoad } from "../rounds.ts";
import type { Row } from "../row.ts";

const PETS = 1_000_000;

/** Skewed as in YCSB. */
const SKEW = 0.99;

/** The time until what is asked for is in a cache, in seconds. */
const WARM_UP = 5;

/** The servers by their names on the page. The first is compared with the second. */
type Contenders = Record<string, ServerProcess>;

export const PETSTORE = "Petstore", HANDWRITTEN = "hand-written", FASTIFY = "Fastify on Node";

const PATH = "/v1/pets/{id}", PAGE = "/v1/pets?cursor={cursor}";
const FILTERED = "/v1/pets?status=available&cursor={cursor}";

export const READS: Group = [
  readCase("reads-1000", "GET of random pets of 1,000", atRandom(PATH, 1000)),
  readCase("reads-20000", "GET of random pets of 20,000", atRandom(PATH, 20_000)),
  readCase("reads-100000", "GET of random pets of 100,000", atRandom(PATH, 100_000)),
  readCase("reads-million", "GET of random pets of a million", atRandom(PATH, PETS)),
  readCase("reads-zipf", "GET of pets of a million, Zipf 0.99", atRandom(PATH, PETS, SKEW)),
  readCase("reads-pages", "random pages of 20", atRandom(PAGE, PETS)),
  readCase("reads-filtered", "random pages of 20 with a status", atRandom(FILTERED, PETS)),
  readCase("reads-memory", "in memory: GET of random pets of 100,000", atRandom(PATH, 100_000), inMemory),
  readCase("reads-node", "Node: GET of random pets of 100,000", atRandom(PATH, 100_000), onNode),
  readCase("reads-node-pages", "Node: random pages of 20", atRandom(PAGE, 100_000), onNode),
];

function atRandom(path: string, pets: number, skew = 0): Load {
  return load(path, { connections: 32, random: { pets, skew } });
}

function readCase(
  name: string,
  title: string,
  asked: Load,
  start: (bench: Bench) => Promise<Contenders> = byDefault,
): Case {
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
      rateRow({ ...parts, base: HANDWRITTEN }, series[PETSTORE]!, series[HANDWRITTEN]!),
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
