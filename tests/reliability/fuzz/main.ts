import { createPetstore } from "../../../mod.ts";
import { IN_PROCESS } from "./host.ts";
import { runTool, tryRead } from "../../support/command_line.ts";
import { type FuzzOptions, readOptions } from "./options.ts";
import { formatFinding, search } from "./search.ts";
import type { Ground } from "./session.ts";
import { KEY, MAX_BODY_BYTES } from "./settings.ts";
import { SOCKET } from "./socket_host.ts";
import { StandaloneServer } from "./standalone.ts";
import { FUZZED_STORES } from "./stores.ts";
import { Tally } from "./tally.ts";

/** Sequences in a batch. Each batch has its own seed, which repeats its findings. */
const BATCH = 100;

const PROGRESS = 5000;

const options = tryRead(() => readOptions(Deno.args, FUZZED_STORES.map(({ name }) => name)));
if (options.servePort !== undefined) await serve(options.servePort);
else if (options.workers !== undefined) await fuzzServer(options, options.workers);
else await fuzzPetstores(options);

async function fuzzPetstores(options: FuzzOptions): Promise<void> {
  const stores = FUZZED_STORES.filter(({ name }) => options.stores?.includes(name) ?? true);
  const host = options.isSocket ? SOCKET : IN_PROCESS;
  const found = await fuzz({ host, stores, tally: new Tally() }, options, options.isSocket ? " --socket" : "");
  if (found === undefined) return;
  console.log(found);
  Deno.exitCode = 1;
}

async function fuzzServer(options: FuzzOptions, workers: number): Promise<void> {
  await runTool("fuzz", async (folder) => {
    await using server = await StandaloneServer.start(folder, workers);
    const response = await fuzz({ host: server, tally: new Tally() }, options, ` --workers ${workers}`);
    const exit = await server.stop();
    return Object.entries({ response, exit }).flatMap(([kind, detail]) =>
      detail === undefined ? [] : [{ kind, detail }]
    );
  });
}

/**
 * @param flags Those that repeat a finding, beside the seed.
 * @returns The finding, if there is one.
 */
async function fuzz(ground: Ground, { requests, seed }: FuzzOptions, flags: string): Promise<string | undefined> {
  const begin = performance.now();
  const { tally } = ground;
  const rate = () => Math.round(tally.requests / (performance.now() - begin) * 1000);
  console.error(`fuzz: ${requests} requests through ${ground.host.name}, from seed ${seed}`);
  let told = begin;
  for (let extent = { seed, sequences: BATCH }; tally.requests < requests; extent = next(extent)) {
    const finding = await search(ground, extent);
    if (finding) {
      return `${formatFinding(finding, extent)}${flags}\n\nunforeseen: 1, after ${tally.requests} requests`;
    }
    if (performance.now() - told < PROGRESS) continue;
    told = performance.now();
    console.error(`fuzz: ${tally.requests} of ${requests}, ${rate()} a second`);
  }
  console.log(tally.format());
  const extent = "stores" in ground ? `, each to ${ground.stores.length} stores` : "";
  console.log(`${tally.requests} requests${extent}, ${rate()} a second; unforeseen: 0`);
  return undefined;
}

function next<E extends { seed: number }>(extent: E): E {
  return { ...extent, seed: extent.seed + 1 };
}

async function serve(port: number): Promise<void> {
  const { handle } = createPetstore({ keys: [KEY], maxBodyBytes: MAX_BODY_BYTES });
  await Deno.serve({ hostname: "127.0.0.1", port }, handle).finished;
}
