import { createPetstore } from "../../../mod.ts";
import { IN_PROCESS } from "./host.ts";
import { tryRead } from "../../support/command_line.ts";
import { type FuzzOptions, readOptions } from "./options.ts";
import { formatFinding, search } from "./search.ts";
import { KEY, MAX_BODY_BYTES } from "./settings.ts";
import { SOCKET } from "./socket_host.ts";
import { FUZZED_STORES } from "./stores.ts";
import { Tally } from "./tally.ts";

/** Sequences in a batch. Each batch has its own seed, which repeats its findings. */
const BATCH = 100;

const PROGRESS = 5000;

const options = tryRead(() => readOptions(Deno.args, FUZZED_STORES.map(({ name }) => name)));
Deno.exitCode = options.servePort === undefined ? await fuzz(options) : await serve(options.servePort);

async function fuzz({ requests, seed, isSocket, stores }: FuzzOptions): Promise<number> {
  const begin = performance.now();
  const tally = new Tally();
  const ground = {
    host: isSocket ? SOCKET : IN_PROCESS,
    stores: FUZZED_STORES.filter(({ name }) => stores?.includes(name) ?? true),
    tally,
  };
  const rate = () => Math.round(tally.requests / (performance.now() - begin) * 1000);
  console.error(`fuzz: ${requests} requests through ${ground.host.name}, from seed ${seed}`);
  let told = begin;
  for (let extent = { seed, sequences: BATCH }; tally.requests < requests; extent = next(extent)) {
    const finding = await search(ground, extent);
    if (finding) {
      console.log(`${formatFinding(finding, extent)}${isSocket ? " --socket" : ""}\n`);
      console.log(`unforeseen: 1, after ${tally.requests} requests`);
      return 1;
    }
    if (performance.now() - told < PROGRESS) continue;
    told = performance.now();
    console.error(`fuzz: ${tally.requests} of ${requests}, ${rate()} a second`);
  }
  console.log(tally.format());
  console.log(`${tally.requests} requests, each to ${ground.stores.length} stores, ${rate()} a second; unforeseen: 0`);
  return 0;
}

function next<E extends { seed: number }>(extent: E): E {
  return { ...extent, seed: extent.seed + 1 };
}

async function serve(port: number): Promise<number> {
  const { handle } = createPetstore({ keys: [KEY], maxBodyBytes: MAX_BODY_BYTES });
  await Deno.serve({ hostname: "127.0.0.1", port }, handle).finished;
  return 0;
}
