/** What it costs to see what happens, and to limit it: the log, metrics, traces, request ids, a rate limit, and CORS. */

import { checkStatus } from "../responses.ts";
import type { Bench, Group } from "../bench.ts";
import type { ServerProcess } from "../load/server_process.ts";
import { load } from "../load/wrk.ts";
import { measureRounds, rateRow, withLoad } from "../rounds.ts";
import type { Floor, Row } from "../row.ts";

/** Of the server, when it exports traces. */
const EXPORTING = { OTEL_DENO: "true", OTEL_DENO_METRICS: "false", OTEL_DENO_TRACING: "false" };

const NONE = ["--log=off", "--request-id=none"];
const METRICS = "--metrics=127.0.0.1:0";
/** Never reached. */
const LIMIT = "--rate-limit=999999999/1h";
const TRACES = "--traces=0.01";

/** Flags that are compared with {@link NONE}. */
const WAYS = {
  "text log": ["--request-id=none"],
  "JSON log": ["--log=json", "--request-id=none"],
  "metrics": [...NONE, METRICS],
  "traces of one request in 100": [...NONE, TRACES],
  "traces of all requests": [...NONE, "--traces=1"],
  "rate limit": [...NONE, LIMIT],
  "request id on each response": ["--log=off", "--request-id=all"],
  "CORS for every origin": [...NONE, "--cors-origin=*"],
  "text log, metrics, traces and rate limit": [METRICS, TRACES, LIMIT],
};

const TOGETHER: Floor = {
  bound: "at least",
  value: 0.95,
  missed: "Log, metrics, traces and rate limit cost 2 to 7 % each: the clock, the address of the client, a table.",
};

export const SEEING: Group = [{ name: "seeing-get", quick: false, run }];

async function run(bench: Bench): Promise<Row[]> {
  const asked = load("/v1/pets/4242");
  const servers: Record<string, ServerProcess> = { nothing: await bench.standalone("seeing nothing", { flags: NONE }) };
  for (const [name, flags] of Object.entries(WAYS)) {
    const env = flags.some((flag) => flag.startsWith("--traces")) ? await exporting(bench) : {};
    servers[name] = await bench.standalone(`seeing ${name}`, { flags, env });
  }
  for (const server of Object.values(servers)) await checkStatus(server, asked);
  const series = await measureRounds(withLoad(servers, asked), bench.effort);
  return Object.keys(WAYS).map((subject) => {
    const floor = subject.includes(" and ") ? { floor: TOGETHER } : {};
    const what = { name: "seeing-get", title: "Seeing: GET one", subject, base: "without any", ...floor };
    return rateRow(what, series[subject]!, series["nothing"]!);
  });
}

async function exporting(bench: Bench): Promise<Record<string, string>> {
  const { port } = await bench.receiver();
  return { ...EXPORTING, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
}
