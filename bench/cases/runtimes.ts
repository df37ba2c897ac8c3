/** Bun and Node: the petstore, compared with the bare server and with a framework for that runtime. */

import { checkBodies, checkLimit, checkStatus, takeAnswers } from "../answers.ts";
import type { Bench, Case, Group } from "../bench.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateRow, withLoad } from "../rounds.ts";
import type { Row } from "../row.ts";
import { POST } from "./writes.ts";

interface Host {
  runtime: "Bun" | "Node";
  /** The server of the limit. */
  bare: string;
  framework: string;
  script: "elysia.ts" | "fastify.ts";
  /** The required speed of the petstore, divided by that of the framework. */
  floor?: number;
}

const BUN: Host = { runtime: "Bun", bare: "bare Bun.serve", framework: "Elysia", script: "elysia.ts", floor: 1 };
const NODE: Host = { runtime: "Node", bare: "bare srvx", framework: "Fastify", script: "fastify.ts" };

export const ON_BUN: Group = cases(BUN);
export const ON_NODE: Group = cases(NODE);

function cases(host: Host): Group {
  const prefix = host.runtime.toLowerCase();
  return [
    runtimeCase(host, `${prefix}-get`, "GET one", true, load("/v1/pets/4242")),
    runtimeCase(host, `${prefix}-list-20`, "list of 20", false, load("/v1/pets")),
    runtimeCase(host, `${prefix}-post`, "POST", false, POST),
  ];
}

function runtimeCase(host: Host, name: string, what: string, quick: boolean, asked: Load): Case {
  const { runtime, bare, framework, script, floor } = host;
  async function run(bench: Bench): Promise<Row[]> {
    const isPost = asked.method === "POST";
    const petstore = await bench.petstore("memory", runtime);
    const peer = await bench.peer(script, runtime);
    const answers = await takeAnswers(petstore, asked);
    const limit = await bench.limit(answers, { runtime, reads: isPost ? "body" : "nothing" });
    await checkLimit(limit, asked, answers);
    for (const server of [petstore, peer]) {
      await (isPost ? checkStatus(server, asked) : checkBodies(server, asked, answers));
    }
    const series = await measureRounds(withLoad({ limit, petstore, peer }, asked), bench.effort);
    const parts = { name, title: `${runtime}: ${what}`, subject: "memory store" };
    const ahead = floor === undefined ? {} : { floor: { bound: "at least", value: floor } as const };
    return [
      rateRow({ ...parts, base: bare, floor: { bound: "at least", value: 0.85 } }, series.petstore, series.limit),
      rateRow({ ...parts, base: framework, ...ahead }, series.petstore, series.peer),
      rateRow({ ...parts, subject: framework, base: bare }, series.peer, series.limit),
    ];
  }
  return { name, quick, run };
}
