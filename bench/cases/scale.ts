/** Many pets: the cost of a page, the space for a pet and the time to open the database. */

import { join } from "node:path";
import { command } from "../../tests/support/system/commands.ts";
import { formatCursor } from "../../lib/operations/paging.ts";
import { readResponses } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import { runPinned } from "../load/server_process.ts";
import { load, walkWithWrk } from "../load/wrk.ts";
import { inRounds } from "../rounds.ts";
import { type Floor, ratioOf, type Row, spreadOf } from "../row.ts";
import type { ScaleResult } from "../servers/scale_store.ts";

type StoreKind = "memory" | "sqlite";

const LABELS: Record<StoreKind, string> = { memory: "memory store", sqlite: "SQLite store" };

const FLAT: Floor = {
  bound: "at most",
  value: 1.3,
  missed: "The pets of a rare status lie apart in memory, so that each comes past the caches of the processor.",
};

const PET_SIZE: Record<StoreKind, Floor> = {
  memory: { bound: "at most", value: 160, missed: "113 bytes of it are in use, and the rest is room of V8's heap." },
  sqlite: { bound: "at most", value: 60 },
};

const WALK: Floor = {
  bound: "at least",
  value: 0.85,
  missed: "No cache has the pages, and none is read ahead: SQLite takes 1 µs for each pet.",
};

/** A store in memory has at most this many pets, since they are all in this machine's. */
const MOST_IN_MEMORY = 1_000_000;

/** The cases. The first fills the database for the others. */
export const SCALE: Group = [
  storeCase("sqlite"),
  storeCase("memory"),
  { name: "scale-walk", quick: false, run: walking },
  { name: "scale-open", quick: false, run: opening },
];

function storeCase(kind: StoreKind): Case {
  const name = `scale-${kind}`;
  async function run(bench: Bench): Promise<Row[]> {
    const { curve, kinds, longestPause, bytesPerPet } = await fill(bench, kind);
    const parts = { name, subject: LABELS[kind], notes: [] as string[] };
    const only = (value: number) => spreadOf([value]);
    const rows: Row[] = [
      {
        ...parts,
        title: "Slowest of first, last and rare-status page, not kept",
        base: "fastest",
        unit: "×",
        ...unevenness(kinds),
        floor: FLAT,
        curve,
      },
      {
        ...parts,
        title: kind === "memory" ? "Memory for each pet" : "File with its index for each pet",
        unit: "bytes",
        figure: only(bytesPerPet),
        floor: PET_SIZE[kind],
      },
    ];
    if (kind === "sqlite") return rows;
    const pause = { title: "Longest pause while filling", unit: "ms", figure: only(longestPause) } as const;
    return [...rows, { ...parts, ...pause, floor: { bound: "at most", value: 2000 } }];
  }
  return { name, quick: false, run };
}

async function walking(bench: Bench): Promise<Row[]> {
  await fill(bench, "sqlite");
  const settings = { path: databasePath(bench), pets: bench.scalePets, isScale: true };
  const server = await bench.petstore("sqlite", "Deno", settings);
  const middle = formatCursor(BigInt(Math.trunc(bench.scalePets / 2)));
  const page = load(`/v1/pets?limit=100&cursor=${middle}`);
  const limit = await bench.limit(await readResponses(server, page));
  let position = "/v1/pets?limit=100";
  const { rounds, seconds } = bench.effort;
  const { walker, most } = await inRounds({
    walker: async () => {
      const walked = await walkWithWrk(server.port, position, seconds);
      // The next round continues here, so that no page is requested twice.
      position = walked.position;
      return walked;
    },
    most: () => walkWithWrk(limit.port, position, seconds),
  }, rounds);
  const figure = ratioOf(walker.map(({ rate }) => rate), most.map(({ rate }) => rate));
  const title = "Walking by next, limit=100, one client";
  const parts = { name: "scale-walk", title, subject: LABELS.sqlite, base: "bare Deno.serve", notes: [] };
  return [{ ...parts, unit: "×", figure, floor: WALK }];
}

async function opening(bench: Bench): Promise<Row[]> {
  await fill(bench, "sqlite");
  const open = async (path: string) => Number(await runPinned("open_store.ts", { path }));
  const { empty, full } = await inRounds({
    empty: () => open(join(bench.folder, "empty.db")),
    full: () => open(databasePath(bench)),
  }, bench.effort.rounds);
  const differences = full.map((milliseconds, round) => milliseconds - (empty[round] ?? NaN));
  const title = "Opening and first response, beyond an empty database's";
  const parts = { name: "scale-open", title, subject: "SQLite store", notes: [] };
  return [{ ...parts, unit: "ms", figure: spreadOf(differences), floor: { bound: "at most", value: 100 } }];
}

/** The cost of the slowest kind of page, divided by that of the fastest, in each round. */
function unevenness(kinds: Record<string, readonly number[]>): Pick<Row, "figure" | "notes"> {
  const all = Object.entries(kinds).map(([kind, costs]) => ({ kind, costs, median: spreadOf(costs).median }));
  const ratios = (all[0]?.costs ?? []).map((_, round) => {
    const costs = all.map(({ costs }) => costs[round] ?? NaN);
    return Math.max(...costs) / Math.min(...costs);
  });
  const order = all.toSorted((a, b) => b.median - a.median).map(({ kind }) => kind);
  return { figure: spreadOf(ratios), notes: [`slowest to fastest: ${order.join(", ")}`] };
}

/** The bytes of a pet in the file and in its write-ahead log, with room to spare. */
const BYTES_PER_PET = 100;

/** Fills a store in a process of its own. The database of SQLite is kept for the other cases. */
function fill(bench: Bench, kind: StoreKind): Promise<ScaleResult> {
  return bench.once(`fill ${kind}`, async () => {
    const wanted = bench.scalePets * BYTES_PER_PET;
    const free = freeBytes(bench.folder);
    if (kind === "sqlite" && free < wanted) {
      throw new Error(
        `${bench.folder} has ${gigabytes(free)} free, and ${bench.scalePets} pets may need ${gigabytes(wanted)}`,
      );
    }
    const pets = kind === "memory" ? Math.min(MOST_IN_MEMORY, bench.scalePets) : bench.scalePets;
    const settings = { store: kind, path: databasePath(bench), pets };
    return JSON.parse(await runPinned("scale_store.ts", settings));
  });
}

function freeBytes(folder: string): number {
  return Number(command("df", "--output=avail", "--block-size=1", folder).split("\n").at(-1));
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

function databasePath(bench: Bench): string {
  return join(bench.folder, "scale.db");
}
