/**
 * What a user gets: the standalone server as `deno task serve` starts it, with an SQLite file and the access log, beside frameworks
 * whose creates are on disk too, and beside the bare server.
 */

import type { Bench, Case, Group, PeerScript } from "../bench.ts";
import type { Runtime } from "../load/runtimes.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { type Load, load } from "../load/wrk.ts";
import { checkBodies, checkLimit, readResponse } from "../responses.ts";
import { measureRounds, rateOnly, rateRow, type Series } from "../rounds.ts";
import type { Row } from "../row.ts";
import { POST } from "./library.ts";

/** The names of the contenders on the page and in its plot. */
export const PEERS: Record<string, [script: PeerScript, runtime: Runtime]> = {
  "Hono on Deno": ["hono.ts", "Deno"],
  "Fastify on Node": ["fastify.ts", "Node"],
};

export const DEFAULT: Group = [
  defaultCase("default-get", "GET one", load("/v1/pets/4242")),
  defaultCase("default-list-20", "list of 20", load("/v1/pets")),
  defaultCase("default-filtered", "filtered list of 20", load("/v1/pets?status=sold")),
  defaultCase("default-post", "durable POST", POST),
];

function defaultCase(name: string, what: string, asked: Load): Case {
  const title = `By default: ${what}`;
  async function run(bench: Bench): Promise<Row[]> {
    const server = await bench.standalone(), silent = await bench.standalone({ flags: ["--log=off"] });
    const peers: Record<string, ServerProcess> = {};
    for (const [peer, [script, runtime]] of Object.entries(PEERS)) {
      peers[peer] = await bench.peer(script, runtime);
    }
    const response = await readResponse(server, asked);
    const limit = await bench.limit(response, "Deno");
    await checkLimit(limit, asked, response);
    await checkBodies([silent, ...Object.values(peers)], asked, response);
    const contenders: Record<string, ServerProcess> = { server, silent, limit, ...peers };
    const series: Record<string, Series> = await measureRounds(contenders, asked, bench.effort);
    const ratio = (base: string, of: string) =>
      rateRow({ name, title, subject: "Petstore", base }, series["server"]!, series[of]!);
    return [
      rateOnly({ name, title, subject: "Petstore" }, series["server"]!),
      ...Object.keys(peers).map((peer) => rateOnly({ name, title, subject: peer }, series[peer]!)),
      ratio("bare Deno.serve", "limit"),
      ratio("itself without log", "silent"),
    ];
  }
  return { name, run };
}
