/**
 * `deno task bench client`: the client beside `fetch` that reads its JSON, bare and with a deadline, one request at a time on kept
 * connections, from a server in another process: on loopback, and with responses that come a millisecond later, as over a network.
 * They take turns in every round, so that they share what else the machine does.
 */

import process from "node:process";
import { createClient } from "../lib/client/client.ts";
import { parseFlags, readCount, runTool } from "../tools/command_line.ts";
import { ROOT } from "../tests/support/server/serve_task.ts";
import { AUTHORIZATION, KEY, NEW_PET } from "./catalogue.ts";
import { ServerProcess } from "./load/server_process.ts";
import { inRounds } from "./rounds.ts";
import { ratioOf, spreadOf } from "./row.ts";

const HELP = `deno task bench client [options]

  --rounds N    measured rounds, by default 15
  --help        this text
`;

/** How much later the responses come, in milliseconds, and how many calls of each are then measured in a round. */
const DISTANCES = [{ delayMs: 0, calls: 1500 }, { delayMs: 1, calls: 300 }];

/** As the client has it, by default. */
const DEADLINE = 30_000;

type Call = () => Promise<unknown>;

/** Each operation, by the client and without it. */
function callsOf(baseUrl: string): Record<string, { client: Call; bare: (more?: RequestInit) => Promise<unknown> }> {
  const { pets } = createClient({ baseUrl, key: KEY });
  const { name, categoryId, status } = JSON.parse(NEW_PET);
  const pet = { name, categoryId: BigInt(categoryId), status };
  const read = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(baseUrl + path, {
      ...init,
      headers: { ...init.headers, authorization: AUTHORIZATION },
    });
    return await response.json();
  };
  const headers = { "content-type": "application/json" };
  const key = () => ({ "idempotency-key": crypto.randomUUID() });
  return {
    "get": { client: () => pets.get(42n), bare: (more) => read("/pets/42", more) },
    "list of 20": { client: () => pets.list().pages().next(), bare: (more) => read("/pets", more) },
    "list of 100": {
      client: () => pets.list({ limit: 100 }).pages().next(),
      bare: (more) => read("/pets?limit=100", more),
    },
    "create": {
      client: () => pets.create(pet),
      bare: (more) => read("/pets", { ...more, method: "POST", headers: { ...headers, ...key() }, body: NEW_PET }),
    },
  };
}

/** Milliseconds, and those of the processor, for a call. */
async function measure(call: Call, calls: number): Promise<{ elapsed: number; processor: number }> {
  const before = process.cpuUsage(), begin = performance.now();
  for (let i = 0; i < calls; i++) await call();
  const { user, system } = process.cpuUsage(before);
  return { elapsed: (performance.now() - begin) / calls, processor: (user + system) / 1000 / calls };
}

/** Prints a line for each operation. */
async function compare({ delayMs, calls }: typeof DISTANCES[number], rounds: number): Promise<void> {
  const settings = { root: ROOT, delayMs };
  await using server = await ServerProcess.start({ runtime: "Deno", script: "library.ts", settings });
  for (const [name, { client, bare }] of Object.entries(callsOf(`http://127.0.0.1:${server.port}/v1`))) {
    const series = await inRounds({
      client: () => measure(client, calls),
      bare: () => measure(() => bare(), calls),
      limited: () => measure(() => bare({ signal: AbortSignal.timeout(DEADLINE) }), calls),
    }, rounds);
    const figures = (["elapsed", "processor"] as const).map((figure) => {
      const of = ({ [figure]: value }: { elapsed: number; processor: number }) => value;
      return [series.bare, series.limited].map((base) => {
        const { low, median, high } = ratioOf(series.client.map(of), base.map(of));
        return [low, median, high].map((ratio) => ratio.toFixed(2)).join("/");
      }).join(" ");
    });
    const { median } = spreadOf(series.bare.map(({ elapsed }) => 1000 * elapsed));
    const title = delayMs === 0 ? name : `${name}, ${delayMs} ms`;
    console.log(`${title.padEnd(20)}${median.toFixed(0).padEnd(19)}${figures.join("; ")}`);
  }
}

await runTool("bench-client", async () => {
  const flags = parseFlags(Deno.args.slice(1), HELP, { rounds: { type: "string" } });
  const rounds = readCount("rounds", flags.rounds, 15);
  console.log(
    "                    µs of bare fetch   client: of bare (low/median/high), of one with a deadline; the same by processor time",
  );
  for (const distance of DISTANCES) await compare(distance, rounds);
  return [];
});
