import { POSTGRES } from "../../support/stores.ts";
import { defineTool, type Report, type Run } from "../tool.ts";
import { formatFinding, search } from "./search.ts";
import type { Ground } from "./session.ts";
import { StandaloneServer } from "./standalone.ts";
import { FUZZED_STORES } from "./stores.ts";
import { Tally } from "./tally.ts";

const ABOUT =
  `Sends random requests, right and wrong, to a petstore on each store, and holds every response against a model of the service
and against those of the other stores. With --workers to a standalone server on SQLite instead, byte by byte, over several
sockets in turn, and with what is no HTTP at all.`;

/** Sequences in a batch. Each batch has its own seed, which repeats its finding. */
const BATCH = 100;

/** Milliseconds between two lines of progress. */
const PROGRESS = 5000;

export const FUZZ = defineTool<{ requests: number; postgres: boolean; workers: number }>(ABOUT, {
  requests: [100_000, "how many requests to send, each to every store"],
  postgres: [false, "a petstore on PostgreSQL too, which is much slower"],
  workers: [0, "how many threads of a standalone server serve"],
}, async ({ requests, postgres, workers }, run) => {
  const tally = new Tally();
  if (workers === 0) {
    const stores = postgres ? [...FUZZED_STORES, POSTGRES] : FUZZED_STORES;
    return await fuzz({ stores, tally }, requests, run);
  }
  await using server = await StandaloneServer.start(run.folder, workers);
  const { figures, findings } = await fuzz({ server, tally }, requests, run);
  const exit = await server.stop();
  return { figures, findings: exit === undefined ? findings : [...findings, { kind: "exit", detail: exit }] };
});

async function fuzz(ground: Ground, requests: number, { seed, log }: Run): Promise<Report> {
  const { tally } = ground;
  let told = performance.now();
  for (
    let extent = { seed, sequences: BATCH };
    tally.requests < requests;
    extent = { ...extent, seed: extent.seed + 1 }
  ) {
    const finding = await search(ground, extent);
    if (finding) return { figures: {}, findings: [{ kind: "response", detail: formatFinding(finding, extent) }] };
    if (performance.now() - told < PROGRESS) continue;
    told = performance.now();
    log(`${tally.requests} of ${requests} requests`);
  }
  const stores = "stores" in ground ? ground.stores.length : 1;
  const responses = [...tally.responses].sort().map(([kind, count]) => [`answered ${kind}`, count]);
  return { figures: { requests: tally.requests, stores, ...Object.fromEntries(responses) }, findings: [] };
}
