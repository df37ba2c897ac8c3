/** What traces cost, and how much of that is Deno's own part, which a bare server has too. The receiver discards them. */

import { checkStatus, readResponses } from "../responses.ts";
import type { Bench, Group } from "../bench.ts";
import { load } from "../load/wrk.ts";
import { measureRounds, rateRow, type Series, withLoad } from "../rounds.ts";
import { type Row, spreadOf } from "../row.ts";
import { POST } from "./writes.ts";

/** The environment in which Deno makes a span of each request. */
const BY_DENO = { OTEL_DENO: "true", OTEL_DENO_METRICS: "false", OTEL_PROPAGATORS: "tracecontext" };
/** The environment for `--traces`. */
export const BY_SERVER = { ...BY_DENO, OTEL_DENO_TRACING: "false" };

const GET = load("/v1/pets/4242");

export const TRACES: Group = [
  { name: "traces-get", quick: false, run: measureGets },
  { name: "traces-post", quick: false, run: measurePosts },
];

/** An environment, with the address of a receiver. */
export async function exporting(bench: Bench, env: Record<string, string>): Promise<Record<string, string>> {
  const { port } = await bench.receiver();
  return { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
}

async function startServers(bench: Bench) {
  const flags = ["--log=off"];
  const byDeno = await exporting(bench, BY_DENO), byServer = await exporting(bench, BY_SERVER);
  return {
    untraced: await bench.standalone("untraced", { flags }),
    byDeno: await bench.standalone("traced by Deno", { flags, env: byDeno }),
    byServer: await bench.standalone("traced by the server", { flags: [...flags, "--traces=1"], env: byServer }),
    sampled: await bench.standalone("sampled", { flags: [...flags, "--traces=0.01"], env: byServer }),
  };
}

async function measureGets(bench: Bench): Promise<Row[]> {
  const servers = await startServers(bench);
  const responses = await readResponses(servers.untraced, GET);
  const bare = await bench.limit(responses, { reads: "head" });
  const bareTraced = await bench.limit(responses, { reads: "head", env: await exporting(bench, BY_DENO) });
  const all = { ...servers, bare, bareTraced };
  for (const server of Object.values(all)) await checkStatus(server, GET);
  const series = await measureRounds(withLoad(all, GET), bench.effort);
  const denos = extraTimes(series.bareTraced, series.bare);
  const own = extraTimes(series.byDeno, series.untraced).map((time, round) => time - denos[round]!);
  const time = (subject: string, times: readonly number[]): Row => {
    return { name: "traces-get", title: "Traces: GET one", subject, unit: "µs", figure: spreadOf(times), notes: [] };
  };
  return [
    ...ratesOf("traces-get", "Traces: GET one", series),
    time("spans by Deno: Deno's part, in a bare server", denos),
    time("spans by Deno: the petstore's part", own),
  ];
}

async function measurePosts(bench: Bench): Promise<Row[]> {
  const servers = await startServers(bench);
  for (const server of Object.values(servers)) await checkStatus(server, POST);
  return ratesOf("traces-post", "Traces: durable POST", await measureRounds(withLoad(servers, POST), bench.effort));
}

function ratesOf(
  name: string,
  title: string,
  { untraced, byDeno, byServer, sampled }: Record<"untraced" | "byDeno" | "byServer" | "sampled", Series>,
): Row[] {
  const row = (subject: string, of: Series) => rateRow({ name, title, subject, base: "without" }, of, untraced);
  return [
    row("all requests, spans by Deno", byDeno),
    row("all requests, --traces=1", byServer),
    row("one request in 100, --traces=0.01", sampled),
  ];
}

/** How much more processor time a request takes, in microseconds, in each round. */
function extraTimes(subject: Series, base: Series): number[] {
  return subject.map(({ efficiency }, round) => 1e6 / efficiency - 1e6 / base[round]!.efficiency);
}
