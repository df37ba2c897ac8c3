import { POSTGRES } from "../../../tests/support/stores.ts";
import { defineTool, type Report, type Run } from "../tool.ts";
import { FUZZED_STORES, type Ground, onStores } from "./ground.ts";
import { search } from "./search.ts";
import { startServers } from "./standalone.ts";
import { Tally } from "./tally.ts";

const ABOUT =
  `Sends random requests, right and wrong, to a petstore on each store, and holds every response against a model of the service
and against those of the other stores. With --servers to so many standalone servers on one SQLite file instead.`;

/** Sequences in a batch. Each batch has its own seed, which repeats its finding. */
const BATCH = 100;

/** Milliseconds between two lines of progress. */
const PROGRESS = 5000;

export const FUZZ = defineTool<{ requests: number; postgres: boolean; servers: number }>(ABOUT, {
  requests: [100_000, "how many requests to send, each to every store"],
  postgres: [false, "a petstore on PostgreSQL too, which is much slower"],
  servers: [0, "how many standalone servers share a port and a file"],
}, async ({ requests, postgres, servers: count }, run) => {
  if (count === 0) {
    return await fuzz(onStores(postgres ? [...FUZZED_STORES, POSTGRES] : FUZZED_STORES), requests, run);
  }
  const ground = await startServers(run.folder, count);
  const { figures, findings } = await fuzz(ground, requests, run);
  const ends = await Promise.all(ground.servers.map(async (server) => {
    const status = await server.stop();
    return status === 0 && server.written.stderr === "" ? [] : [{
      kind: "exit",
      detail: `Exit status ${status}, standard error: ${server.written.stderr}`,
    }];
  }));
  return { figures, findings: [...findings, ...ends.flat()] };
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
