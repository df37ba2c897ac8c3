/** Reads of many addresses, most of which are in no cache, beside a framework. */

import { formatCursor } from "../../lib/operations/paging.ts";
import type { Bench, Case, Group } from "../bench.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { type Load, load } from "../load/wrk.ts";
import { checkBodies, readResponse } from "../responses.ts";
import { measureRounds, rateOnly, type Series } from "../rounds.ts";
import type { Row } from "../row.ts";

const PETS = 1_000_000;

/** Skewed as in YCSB. */
const SKEW = 0.99;

/** The time until what is asked for is in a cache, in seconds. */
const WARM_UP = 5;

const PETSTORE = "Petstore", FASTIFY = "Fastify on Node";

const PATH = "/v1/pets/{id}";

export const READS: Group = [
  readCase("reads-1000", "GET of random pets of 1,000", PATH, 1000),
  readCase("reads-20000", "GET of random pets of 20,000", PATH, 20_000),
  readCase("reads-100000", "GET of random pets of 100,000", PATH, 100_000),
  readCase("reads-million", "GET of random pets of a million", PATH, PETS),
  readCase("reads-zipf", "GET of pets of a million, Zipf 0.99", PATH, PETS, SKEW),
  readCase("reads-pages", "random pages of 20", "/v1/pets?cursor={cursor}", PETS),
];

function readCase(name: string, title: string, path: string, pets: number, skew = 0): Case {
  const asked = load(path, { connections: 32, random: { pets, skew } });
  async function run(bench: Bench): Promise<Row[]> {
    const servers: Record<string, ServerProcess> = {
      [PETSTORE]: await bench.standalone({ flags: ["--log=off"] }, PETS),
      [FASTIFY]: await bench.peer("fastify.ts", "Node", PETS),
    };
    for (const id of [1n, 777n]) {
      const one = load(addressOf(asked, id));
      await checkBodies(Object.values(servers), one, await readResponse(servers[PETSTORE]!, one));
    }
    const series: Record<string, Series> = await measureRounds(servers, asked, bench.effort, WARM_UP);
    return Object.entries(series).map(([subject, own]) =>
      rateOnly({ name, title: `Any address: ${title}`, subject }, own)
    );
  }
  return { name, run };
}

function addressOf({ path }: Load, id: bigint): string {
  return path.replace("{id}", String(id)).replace("{cursor}", formatCursor(id));
}
