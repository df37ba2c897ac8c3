/** Bun and Node: the library in memory, beside the bare server and a framework for that runtime. */

import { checkBodies, checkLimit, checkStatus, readResponses } from "../responses.ts";
import type { Bench, Case, Group, PeerScript } from "../bench.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateRow, withLoad } from "../rounds.ts";
import type { Floor, Row } from "../row.ts";
import { POST } from "./library.ts";

interface Host {
  runtime: "Bun" | "Node";
  /** The server of the limit. */
  bare: string;
  peer: string;
  script: PeerScript;
  /** The required speed of the library, divided by that of the bare server and of the peer. */
  floors: { bare: number; peer: number };
  /** Why a floor is not met. */
  missed: { get: string; post: string };
}

const BUN: Host = {
  runtime: "Bun",
  bare: "bare Bun.serve",
  peer: "Elysia",
  script: "elysia.ts",
  floors: { bare: 0.9, peer: 1 },
  missed: {
    get:
      "In a loop, a kept response takes as long as the bare server's, 1.4 to 1.9 µs. Between requests, the caches of the processor " +
      "are cold.",
    post:
      "In a loop, a POST takes 4.3 µs, and that of the bare server 2.7: the rest is the check of the key, the limits of a " +
      "body, exact int64 as bigint, and the promises between them. Between requests, the caches of the processor are cold.",
  },
};

const NODE: Host = {
  runtime: "Node",
  bare: "bare node:http",
  peer: "Fastify",
  script: "fastify.ts",
  floors: { bare: 0.9, peer: 1.05 },
  missed: {
    get:
      "By V8's profile, 5 % of the time is the library's, and the rest that of node:http and the kernel. Its responses have five " +
      "header fields that Fastify's lack.",
    post:
      "In a loop, a POST takes 2 µs; between requests, node:http empties the caches of the processor, and by V8's profile the " +
      "same steps take 16 % of the time. A listener of twenty lines that validates, stores and answers reaches 0.86 of the bare server.",
  },
};

export const ON_BUN: Group = cases(BUN);
export const ON_NODE: Group = cases(NODE);

function cases(host: Host): Group {
  const prefix = host.runtime.toLowerCase();
  return [
    runtimeCase(host, `${prefix}-get`, "GET one", load("/v1/pets/4242")),
    runtimeCase(host, `${prefix}-list-20`, "list of 20", load("/v1/pets")),
    runtimeCase(host, `${prefix}-post`, "POST", POST),
  ];
}

function runtimeCase(
  { runtime, bare, peer, script, floors, missed }: Host,
  name: string,
  what: string,
  asked: Load,
): Case {
  const isPost = asked.method === "POST";
  async function run(bench: Bench): Promise<Row[]> {
    const library = await bench.petstore("memory", runtime);
    const responses = await readResponses(library, asked);
    const limit = await bench.limit(responses, runtime);
    const framework = await bench.peer(script, runtime);
    await (isPost ? checkStatus(limit, asked) : checkLimit(limit, asked, responses));
    await (isPost ? checkStatus(framework, asked) : checkBodies(framework, asked, responses));
    const series = await measureRounds(withLoad({ limit, library, framework }, asked), bench.effort);
    const parts = { name, title: `${runtime}: ${what}`, subject: "library" };
    const floor = (value: number): Floor => ({
      bound: "at least",
      value,
      missed: isPost ? missed.post : missed.get,
    });
    return [
      rateRow({ ...parts, base: bare, floor: floor(floors.bare) }, series.library, series.limit),
      rateRow({ ...parts, base: peer, floor: floor(floors.peer) }, series.library, series.framework),
      rateRow({ ...parts, subject: peer, base: bare }, series.framework, series.limit),
    ];
  }
  return { name, quick: runtime === "Node", run };
}
