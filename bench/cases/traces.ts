/** What traces cost. The receiver discards them. */

import { checkStatus } from "../responses.ts";
import type { Bench, Group } from "../bench.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateRow, withLoad } from "../rounds.ts";
import type { Row } from "../row.ts";
import { POST } from "./writes.ts";

/** The environment for `--traces`. */
export const BY_SERVER = { OTEL_DENO: "true", OTEL_DENO_METRICS: "false", OTEL_DENO_TRACING: "false" };

const GET = { name: "traces-get", title: "Traces: GET one" };
const CREATE = { name: "traces-post", title: "Traces: durable POST" };

export const TRACES: Group = [
  { name: "traces-get", quick: false, run: (bench) => measure(bench, GET, load("/v1/pets/4242")) },
  { name: "traces-post", quick: false, run: (bench) => measure(bench, CREATE, POST) },
];

/** An environment, with the address of a receiver. */
export async function exporting(bench: Bench, env: Record<string, string>): Promise<Record<string, string>> {
  const { port } = await bench.receiver();
  return { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
}

async function measure(bench: Bench, names: { name: string; title: string }, requests: Load): Promise<Row[]> {
  const flags = ["--log=off"];
  const env = await exporting(bench, BY_SERVER);
  const servers = {
    untraced: await bench.standalone("untraced", { flags }),
    traced: await bench.standalone("traced", { flags: [...flags, "--traces=1"], env }),
    sampled: await bench.standalone("sampled", { flags: [...flags, "--traces=0.01"], env }),
  };
  for (const server of Object.values(servers)) await checkStatus(server, requests);
  const { untraced, traced, sampled } = await measureRounds(withLoad(servers, requests), bench.effort);
  return [
    rateRow({ ...names, subject: "all requests, --traces=1", base: "without" }, traced, untraced),
    rateRow({ ...names, subject: "one request in 100, --traces=0.01", base: "without" }, sampled, untraced),
  ];
}
