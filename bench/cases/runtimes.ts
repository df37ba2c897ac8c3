/** Node: the library in memory, beside the bare server and a framework for that runtime. */

import { checkBodies, checkLimit, checkStatus, readResponses } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateRow, withLoad } from "../rounds.ts";
import type { Row } from "../row.ts";
import { POST } from "./library.ts";

const BARE = "bare node:http", FASTIFY = "Fastify";

export const ON_NODE: Group = [
  nodeCase("node-get", "GET one", load("/v1/pets/4242")),
  nodeCase("node-list-20", "list of 20", load("/v1/pets")),
  nodeCase("node-post", "POST", POST),
];

function nodeCase(name: string, what: string, asked: Load): Case {
  const isPost = asked.method === "POST";
  async function run(bench: Bench): Promise<Row[]> {
    const library = await bench.petstore("memory", "Node");
    const responses = await readResponses(library, asked);
    const limit = await bench.limit(responses, "Node");
    const framework = await bench.peer("fastify.ts", "Node");
    await (isPost ? checkStatus(limit, asked) : checkLimit(limit, asked, responses));
    await (isPost ? checkStatus(framework, asked) : checkBodies(framework, asked, responses));
    const series = await measureRounds(withLoad({ limit, library, framework }, asked), bench.effort);
    const parts = { name, title: `Node: ${what}`, subject: "library" };
    return [
      rateRow({ ...parts, base: BARE }, series.library, series.limit),
      rateRow({ ...parts, base: FASTIFY }, series.library, series.framework),
      rateRow({ ...parts, subject: FASTIFY, base: BARE }, series.framework, series.limit),
    ];
  }
  return { name, quick: true, run };
}
