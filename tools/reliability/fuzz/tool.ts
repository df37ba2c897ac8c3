import { POSTGRES } from "../../../tests/support/stores.ts";
import { defineTool, type Report, type Run } from "../tool.ts";
import { FUZZED_STORES, type Ground, onStores } from "./ground.ts";
import { search } from "./search.ts";
import { startServer } from "./standalone.ts";
import { Tally } from "./tally.ts";

const ABOUT =
  `Sends random requests, right and wrong, to a petstore on each store, and holds every response against a model of the service
and against those of the other stores. With --workers to a standalone server on SQLite instead.`;

/** Sequences in a batch. Each batch has its own seed, which repeats its finding. */
const BATCH = 100;

/** Milliseconds between two lines of progress. */
const PROGRESS = 5000;

export const FUZZ = defineTool<{ requests: number; postgres: boolean; workers: number }>(ABOUT, {
  requests: [100_000, "how many requests to send, each to every store"],
  postgres: [false, "a petstore on PostgreSQL too, which is much slower"],
  workers: [0, "how many threads of a standalone server serve"],
}, async ({ requests, postgres, workers }, run) => {
  if (workers === 0) {
    return await fuzz(onStores(postgres ? [...FUZZED_STORES, POSTGRES] : FUZZED_STORES), requests, run);
  }
  const ground = await startServer(run.folder, workers);
  await using server = ground.server;
  const { figures, findings } = await fuzz(ground, requests, run);
  const status = await server.stop();
  const { stderr } = server.written;
  const exit = { kind: "exit", detail: `Exit status ${status}, standard error: ${stderr}` };
  return { figures, findings: status === 0 && stderr === "" ? findings : [...findings, exit] };
});

async function fuzz(ground: Ground, requests: number, { seed, log }: Run): Promise<Report> {
  const tally = new Tally();
  let told = performance.now();
  for (let batch = 0; tally.requests < requests; batch++) {
    const finding = await search(ground, { tally, seed: seed + batch, sequences: BATCH });
    if (finding) return { figures: {}, findings: [{ kind: "response", detail: finding.text }] };
    if (performance.now() - told < PROGRESS) continue;
    told = performance.now();
    log(`${tally.requests} of ${requests} requests`);
  }
  const responses = [...tally.responses].sort().map(([kind, count]) => [`answered ${kind}`, count]);
  return { figures: { requests: tally.requests, ...Object.fromEntries(responses) }, findings: [] };
}
