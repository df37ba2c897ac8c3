/** Bun and Node: the petstore, compared with the bare server and with frameworks for that runtime. */

import { checkBodies, checkLimit, checkStatus, readResponses } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateRow, type Series, withLoad } from "../rounds.ts";
import type { Row } from "../row.ts";
import { POST } from "./writes.ts";

interface Peer {
  name: string;
  script: "elysia.ts" | "fastify.ts" | "hono.ts";
  /** The required speed of the petstore, divided by that of the peer. */
  floor?: number;
}

interface Host {
  runtime: "Bun" | "Node";
  /** The server of the limit. */
  bare: string;
  /** A limit that reads what a service must read, if the limit reads less. */
  reader?: string;
  peers: readonly Peer[];
}

const BUN: Host = {
  runtime: "Bun",
  bare: "bare Bun.serve",
  reader: "Bun.serve that reads",
  peers: [{ name: "Elysia", script: "elysia.ts", floor: 1 }],
};

const NODE: Host = {
  runtime: "Node",
  bare: "bare node:http",
  peers: [{ name: "Fastify", script: "fastify.ts", floor: 1 }, { name: "Hono", script: "hono.ts" }],
};

export const ON_BUN: Group = cases(BUN);
export const ON_NODE: Group = cases(NODE);

function cases(host: Host): Group {
  const prefix = host.runtime.toLowerCase();
  return [
    runtimeCase(host, `${prefix}-get`, "GET one", true, load("/v1/pets/4242")),
    runtimeCase(host, `${prefix}-list-20`, "list of 20", false, load("/v1/pets")),
    runtimeCase(host, `${prefix}-post`, "POST", host.runtime === "Node", POST),
  ];
}

function runtimeCase(
  { runtime, bare, reader, peers }: Host,
  name: string,
  what: string,
  quick: boolean,
  asked: Load,
): Case {
  const isPost = asked.method === "POST";
  async function run(bench: Bench): Promise<Row[]> {
    const petstore = await bench.petstore("memory", runtime);
    const responses = await readResponses(petstore, asked);
    const limit = await bench.limit(responses, { runtime, reads: isPost ? "body" : "nothing" });
    const servers: Record<string, ServerProcess> = { [bare]: limit, petstore };
    if (reader) servers[reader] = await bench.limit(responses, { runtime, reads: isPost ? "json" : "head" });
    for (const name of [bare, reader]) if (name) await checkLimit(servers[name]!, asked, responses);
    for (const { name, script } of peers) servers[name] = await bench.peer(script, runtime);
    for (const name of ["petstore", ...peers.map(({ name }) => name)]) {
      await (isPost ? checkStatus(servers[name]!, asked) : checkBodies(servers[name]!, asked, responses));
    }
    const series: Record<string, Series> = await measureRounds(withLoad(servers, asked), bench.effort);
    const row = (subject: string, base: string, floor?: number) => {
      const required = floor === undefined ? {} : { floor: { bound: "at least", value: floor } as const };
      const parts = { name, title: `${runtime}: ${what}`, subject: subject === "petstore" ? "memory store" : subject };
      return rateRow({ ...parts, base, ...required }, series[subject] ?? [], series[base] ?? []);
    };
    return [
      row("petstore", bare, 0.85),
      ...reader ? [row("petstore", reader)] : [],
      ...peers.flatMap((peer) => [row("petstore", peer.name, peer.floor), row(peer.name, bare)]),
    ];
  }
  return { name, quick, run };
}
