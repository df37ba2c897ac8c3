/** The standalone server as `deno task serve` starts it: an SQLite file, and the access log on. */

import { checkBodies, checkLimit, checkStatus, readResponses } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateRow, type Series, withLoad } from "../rounds.ts";
import { type Floor, type Row, spreadOf } from "../row.ts";
import { POST } from "./writes.ts";

/** The log may cost this much. */
const WITH_LOG: Floor = { bound: "at least", value: 0.97 };

export const DEFAULT: Group = [
  defaultCase("default-get", "GET one", load("/v1/pets/4242")),
  defaultCase("default-list-20", "list of 20", load("/v1/pets")),
  defaultCase("default-post", "durable POST", POST),
];

function defaultCase(name: string, what: string, asked: Load): Case {
  const isPost = asked.method === "POST";
  async function run(bench: Bench): Promise<Row[]> {
    const server = await bench.standalone("default");
    const silent = await bench.standalone("silent", { flags: ["--log=off"] });
    const hono = await bench.peer("hono.ts", "Deno");
    const responses = await readResponses(server, asked);
    const limit = await bench.limit(responses, { reads: isPost ? "body" : "nothing" });
    await checkLimit(limit, asked, responses);
    for (const peer of [silent, hono]) await (isPost ? checkStatus(peer, asked) : checkBodies(peer, asked, responses));
    const series = await measureRounds(withLoad({ limit, server, silent, hono }, asked), bench.effort);
    const row = (subject: string, base: string, of: Series, to: Series, floor?: Floor) =>
      rateRow({ name, title: `By default: ${what}`, subject, base, ...floor && { floor } }, of, to);
    return [
      absoluteRow(name, `By default: ${what}`, series.server),
      row("default server", "limit", series.server, series.limit),
      row("default server", "itself without log", series.server, series.silent, isPost ? undefined : WITH_LOG),
      row("default server", "Hono", series.server, series.hono),
      row("Hono", "limit", series.hono, series.limit),
    ];
  }
  return { name, quick: true, run };
}

function absoluteRow(name: string, title: string, series: Series): Row {
  const figure = spreadOf(series.map(({ rate }) => rate));
  return { name, title, subject: "default server", unit: "/s", figure, notes: [] };
}
