/** The sections of the page of results: the service beside bare runtimes and frameworks. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { createSqliteStore } from "../lib/stores/sqlite/create_sqlite_store.ts";
import { ROOT } from "../tests/support/server/serve_task.ts";
import { slowDisk } from "../tests/support/system/disk.ts";
import { NEW_PET, petAt } from "./catalogue.ts";
import { type Runtime, type ServerProcess, startScript, startStandalone } from "./load/server_process.ts";
import { type Load, runWrk } from "./load/wrk.ts";
import type { Case, Place, Section } from "./rounds.ts";
import type { Figure } from "./row.ts";

/** The pets in the catalogue, unless a section says otherwise. */
const PETS = 100_000;

const MILLION = 1_000_000;

export const GET: Load = { path: "/v1/pets/4242", connections: 64 };
export const LIST: Load = { path: "/v1/pets", connections: 64 };
export const FILTERED: Load = { path: "/v1/pets?status=sold", connections: 64 };
export const POST: Load = { path: "/v1/pets", body: NEW_PET, connections: 64 };

/** The standalone server with a catalogue in its file, which is filled before the first start. */
export async function startFilled(
  { folder }: Place,
  pets: number,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const path = join(folder, "pets.db");
  if (!existsSync(path)) await fillDatabase(path, pets);
  return await startStandalone(ROOT, path, flags, { env });
}

async function fillDatabase(path: string, pets: number): Promise<void> {
  await using store = createSqliteStore(path);
  // The store commits together what is created together.
  const atOnce = 20_000;
  for (let start = 1; start <= pets; start += atOnce) {
    const ids = Array.from({ length: Math.min(atOnce, pets + 1 - start) }, (_, i) => start + i);
    await Promise.all(ids.map((id) => store.create({ ...petAt(id), categoryId: BigInt(petAt(id).categoryId) })));
  }
}

/** A framework with its pets in an SQLite file. */
export function startPeer(
  script: "hono.ts" | "fastify.ts",
  runtime: Runtime,
  { folder }: Place,
  pets: number,
): Promise<ServerProcess> {
  return startScript(runtime, script, { pets, path: join(folder, "pets.db") });
}

/** What a user gets: the server as `deno task serve` starts it, beside frameworks whose creates are on disk too. */
const DEFAULT: Section = {
  title: "What you get by default",
  isCompared: true,
  contenders: {
    "Petstore": (place) => startFilled(place, PETS),
    "itself without log": (place) => startFilled(place, PETS, ["--log=off"]),
    "bare Deno.serve": ({ firstPort }) => startScript("Deno", "limit.ts", { port: firstPort }),
    "Hono on Deno": (place) => startPeer("hono.ts", "Deno", place, PETS),
    "Fastify on Node": (place) => startPeer("fastify.ts", "Node", place, PETS),
  },
  cases: casesOf("default", "By default", [
    { subject: "Petstore" },
    { subject: "Hono on Deno" },
    { subject: "Fastify on Node" },
    { subject: "Petstore", base: "bare Deno.serve" },
    { subject: "Petstore", base: "itself without log" },
  ], {
    "get": ["GET one", GET],
    "list-20": ["list of 20", LIST],
    "filtered": ["filtered list of 20", FILTERED],
    "post": ["durable POST", POST],
  }),
};

/** Reads of many addresses, most of which are in no cache, beside a framework. */
const READS: Section = {
  title: "Any address",
  isCompared: true,
  warmUp: 5,
  contenders: {
    "Petstore": (place) => startFilled(place, MILLION, ["--log=off"]),
    "Fastify on Node": (place) => startPeer("fastify.ts", "Node", place, MILLION),
  },
  cases: casesOf("reads", "Any address", [{ subject: "Petstore" }, { subject: "Fastify on Node" }], {
    "1000": ["GET of random pets of 1,000", randomOf(1000)],
    "20000": ["GET of random pets of 20,000", randomOf(20_000)],
    "100000": ["GET of random pets of 100,000", randomOf(100_000)],
    "million": ["GET of random pets of a million", randomOf(MILLION)],
    // This is the skew of YCSB.
    "zipf": ["GET of pets of a million, Zipf 0.99", randomOf(MILLION, 0.99)],
    "pages": ["random pages of 20", { ...randomOf(MILLION), path: "/v1/pets?cursor={cursor}" }],
  }),
};

function randomOf(pets: number, skew = 0): Load {
  return { path: "/v1/pets/{id}", connections: 32, random: { pets, skew } };
}

/** The library with pets in memory and without a log, beside the bare server of the runtime. */
function librarySection(runtime: Runtime, title: string, base: string, cases: readonly Case[]): Section {
  const limit = runtime === "Node" ? "limit_node.ts" : "limit.ts";
  return {
    title,
    isCompared: true,
    contenders: {
      library: () => startScript(runtime, "library.ts", { root: ROOT, pets: PETS }),
      [base]: ({ firstPort }) => startScript(runtime, limit, { port: firstPort }),
    },
    cases,
  };
}

const ON_DENO = librarySection(
  "Deno",
  "The library on Deno",
  "bare Deno.serve",
  casesOf("library", "In memory", [{ subject: "library", base: "bare Deno.serve" }], {
    "get": ["GET one", GET],
    "list-20": ["list of 20", LIST],
    "filtered": ["filtered list of 20", FILTERED],
    "post": ["POST", POST],
  }),
);

const ON_NODE = librarySection(
  "Node",
  "On Node",
  "bare node:http",
  casesOf("node", "Node", [{ subject: "library", base: "bare node:http" }], {
    "get": ["GET one", GET],
    "list-20": ["list of 20", LIST],
    "post": ["POST", POST],
  }),
);

/** Reads during creates, on a disk whose fsync takes some milliseconds longer, as on a common network disk. */
const SLOW_DISK: Section = {
  title: "While others create",
  warmUp: 2,
  contenders: {
    "its reads alone": startOnSlowDisk,
    async "default server"(place) {
      const server = await startOnSlowDisk(place);
      return {
        async measure(load, warmUp, seconds) {
          const creates = runWrk(server.port, POST, warmUp + seconds);
          // The processor time is that of the creates too.
          const { rate, p99 } = await server.measure(load, warmUp, seconds);
          await creates;
          return { rate, p99: p99! };
        },
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    },
  },
  cases: [{
    name: "slow-disk",
    title: "GET one, 8 connections, while 64 connections create, each fsync 5 ms longer",
    load: { ...GET, connections: 8 },
    figures: [
      { subject: "default server", base: "its reads alone" },
      { subject: "default server", base: "its reads alone", of: "p99" },
    ],
  }],
};

/** Starts the server on a fast disk, which becomes slow while it runs. */
async function startOnSlowDisk(place: Place): Promise<ServerProcess> {
  const { env, setDelay } = slowDisk(place.folder);
  setDelay(0);
  const server = await startFilled(place, PETS, [], env);
  await runWrk(server.port, POST, 1);
  setDelay(5);
  return server;
}

/** Cases that have the same figures. The prefix begins their names, and `before` their titles. */
export function casesOf(
  prefix: string,
  before: string,
  figures: readonly Figure[],
  loads: Record<string, readonly [what: string, load: Load]>,
): Case[] {
  return Object.entries(loads).map(([name, [what, load]]) => ({
    name: `${prefix}-${name}`,
    title: `${before}: ${what}`,
    load,
    figures,
  }));
}

/** The sections, in the order of the page. */
export const SECTIONS: readonly Section[] = [READS, DEFAULT, ON_DENO, ON_NODE, SLOW_DISK];
