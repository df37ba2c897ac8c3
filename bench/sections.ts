/** The sections of the page of results: the service beside bare runtimes and frameworks. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { createSqliteStore } from "../lib/stores/sqlite/create_sqlite_store.ts";
import { ROOT } from "../tests/support/pages.ts";
import { slowDisk } from "../tests/support/system/disk.ts";
import { NEW_PET, petAt } from "./catalogue.ts";
import { type Runtime, type ServerProcess, startScript, startStandalone } from "./load/server_process.ts";
import { type Load, runWrk } from "./load/wrk.ts";
import type { Case, Place, Section } from "./rounds.ts";
import type { Figure } from "./row.ts";

/** The pets in the catalogue, unless a section says otherwise. */
const PETS = 100_000;

const MILLION = 1_000_000;

const GET: Load = { path: "/v1/pets/4242", connections: 64 };
export const CREATE: Load = { path: "/v1/pets", body: NEW_PET, connections: 64 };

/** Loads by the names of their cases. */
export type Loads = Readonly<Record<string, readonly [what: string, load: Load]>>;

/** One address of each kind, again and again. */
export const LOADS: Loads = {
  get: ["GET one", GET],
  list: ["list of 20", { path: "/v1/pets", connections: 64 }],
  filtered: ["filtered list of 20", { path: "/v1/pets?status=sold", connections: 64 }],
  create: ["POST", CREATE],
};

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
  // The store refuses a create if this many wait.
  const atOnce = 10_000;
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

/** The server of a runtime alone, which sends what the first contender answers to the loads. */
function startBare(runtime: Runtime, { firstPort }: Place): Promise<ServerProcess> {
  return startScript(runtime, "bare.ts", { port: firstPort, loads: Object.values(LOADS).map(([, load]) => load) });
}

/** What a user gets: the server as `deno task serve` starts it, beside frameworks whose creates are on disk too. */
const DEFAULT: Section = {
  title: "What you get by default",
  isCompared: true,
  contenders: {
    "Petstore": (place) => startFilled(place, PETS),
    "itself without log": (place) => startFilled(place, PETS, ["--log=off"]),
    "bare Deno.serve": (place) => startBare("Deno", place),
    "Hono on Deno": (place) => startPeer("hono.ts", "Deno", place, PETS),
    "Fastify on Node": (place) => startPeer("fastify.ts", "Node", place, PETS),
  },
  cases: casesOf("default", [
    { subject: "Petstore" },
    { subject: "Hono on Deno" },
    { subject: "Fastify on Node" },
    { subject: "Petstore", base: "bare Deno.serve" },
    { subject: "Petstore", base: "itself without log" },
  ], LOADS),
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
  cases: casesOf("reads", [{ subject: "Petstore" }, { subject: "Fastify on Node" }], {
    "1000": ["GET of random pets of 1,000", randomOf(1000)],
    "20000": ["GET of random pets of 20,000", randomOf(20_000)],
    "100000": ["GET of random pets of 100,000", randomOf(100_000)],
    "million": ["GET of random pets of a million", randomOf(MILLION)],
    "zipf": ["GET of pets of a million, Zipf's law", { ...randomOf(MILLION), isSkewed: true }],
    "pages": ["random pages of 20", { ...randomOf(MILLION), path: "/v1/pets?cursor={cursor}" }],
  }),
};

function randomOf(pets: number): Load {
  return { path: "/v1/pets/{id}", connections: 32, randomOf: pets };
}

/** The library with pets in memory and without a log, beside the bare server of the runtime. */
function librarySection(prefix: string, runtime: Runtime, base: string): Section {
  return {
    title: `The library on ${runtime}`,
    isCompared: true,
    contenders: {
      library: () => startScript(runtime, "library.ts", { root: ROOT, pets: PETS }),
      [base]: (place) => startBare(runtime, place),
    },
    cases: casesOf(prefix, [{ subject: "library", base }], LOADS),
  };
}

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
          const creates = runWrk(server.port, CREATE, warmUp + seconds);
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
  await runWrk(server.port, CREATE, 1);
  setDelay(5);
  return server;
}

/** Cases that have the same figures. The prefix begins their names. */
export function casesOf(prefix: string, figures: readonly Figure[], loads: Loads): Case[] {
  return Object.entries(loads).map(([name, [title, load]]) => ({ name: `${prefix}-${name}`, title, load, figures }));
}

/** The sections, in the order of the page. */
export const SECTIONS: readonly Section[] = [
  READS,
  DEFAULT,
  librarySection("library", "Deno", "bare Deno.serve"),
  librarySection("node", "Node", "bare node:http"),
  SLOW_DISK,
];
