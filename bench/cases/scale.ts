/** Ten million pets: what a page, a pet's place and an opening cost then. */

import { join } from "node:path";
import { formatCursor } from "../../lib/service/cursor.ts";
import { checkStatus, takeAnswers } from "../answers.ts";
import type { Bench, Case, Group } from "../bench.ts";
import { runPinned, type ServerProcess } from "../load/server_process.ts";
import { load, walkWithWrk } from "../load/wrk.ts";
import { measureRounds } from "../rounds.ts";
import { type Floor, ratioOf, type Row, spreadOf } from "../row.ts";
import type { ScaleResult } from "../servers/scale_store.ts";

type StoreKind = "memory" | "sqlite";

const LABELS: Record<StoreKind, string> = { memory: "memory store", sqlite: "SQLite store" };
const FLAT: Floor = { bound: "at most", value: 1.3 };

/** All of them; the database is filled by the first and used by the others. */
export const SCALE: Group = [
  storeCase("sqlite"),
  storeCase("memory"),
  servedCase("sqlite"),
  servedCase("memory"),
  walkCase("sqlite"),
  walkCase("memory"),
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
        floor: { bound: "at most", value: kind === "memory" ? 64 : 60 },
      },
    ];
    if (kind === "sqlite") return rows;
    const pause = { title: "Longest pause while filling", unit: "ms", figure: only(longestPause) } as const;
    return [...rows, { ...parts, ...pause, floor: { bound: "at most", value: 50 } }];
  }
  return { name, quick: false, run };
}

function servedCase(kind: StoreKind): Case {
  const name = `scale-served-${kind}`;
  async function run(bench: Bench): Promise<Row[]> {
    const server = await serve(bench, kind);
    const last = formatCursor(BigInt(bench.scalePets - 10));
    const loads = {
      first: load("/v1/pets?limit=10"),
      last: load(`/v1/pets?limit=10&cursor=${last}`),
      rare: load("/v1/pets?limit=10&status=sold"),
    };
    for (const asked of Object.values(loads)) await checkStatus(server, asked);
    const entries = Object.entries(loads).map(([name, load]) => [name, { server, load }] as const);
    const series = Object.entries(await measureRounds(Object.fromEntries(entries), bench.effort));
    const costs = series.map(([kind, measured]) => [kind, measured.map(({ rate }) => 1 / rate)] as const);
    const title = "Slowest of first, last and rare-status page, as served";
    const parts = { name, title, subject: LABELS[kind], base: "fastest" };
    return [{ ...parts, unit: "×", ...unevenness(Object.fromEntries(costs)), floor: FLAT }];
  }
  return { name, quick: false, run };
}

function walkCase(kind: StoreKind): Case {
  const name = `scale-walk-${kind}`;
  async function run(bench: Bench): Promise<Row[]> {
    const server = await serve(bench, kind);
    const middle = formatCursor(BigInt(Math.trunc(bench.scalePets / 2)));
    const page = load(`/v1/pets?limit=100&cursor=${middle}`);
    const limit = await bench.limit(await takeAnswers(server, page));
    const rates: { walker: number[]; limit: number[] } = { walker: [], limit: [] };
    let position = "/v1/pets?limit=100";
    for (let round = 0; round <= bench.effort.rounds; round++) {
      // Every round goes on where the one before has stopped: no page is asked for twice.
      const walked = await walkWithWrk(server.port, position, bench.effort.seconds);
      const most = await walkWithWrk(limit.port, position, bench.effort.seconds);
      position = walked.position;
      if (round === 0) continue;
      rates.walker.push(walked.rate);
      rates.limit.push(most.rate);
    }
    const parts = {
      name,
      title: "Walking by next, limit=100, one client",
      subject: LABELS[kind],
      base: "limit",
      notes: [],
    };
    const figure = ratioOf(rates.walker, rates.limit);
    return [{ ...parts, unit: "×", figure, floor: { bound: "at least", value: 0.85 } }];
  }
  return { name, quick: false, run };
}

async function opening(bench: Bench): Promise<Row[]> {
  await fill(bench, "sqlite");
  const empty = join(bench.folder, "empty.db");
  const differences: number[] = [];
  for (let round = 0; round <= bench.effort.rounds; round++) {
    const ofEmpty = Number(await runPinned("open_store.ts", { path: empty }));
    const ofFull = Number(await runPinned("open_store.ts", { path: databasePath(bench) }));
    if (round > 0) differences.push(ofFull - ofEmpty);
  }
  const title = "Opening and first answer, beyond an empty database's";
  const parts = { name: "scale-open", title, subject: "SQLite store", notes: [] };
  return [{ ...parts, unit: "ms", figure: spreadOf(differences), floor: { bound: "at most", value: 100 } }];
}

/** In every round, what the slowest kind of page costs, divided by what the fastest costs. */
function unevenness(kinds: Record<string, readonly number[]>): Pick<Row, "figure" | "notes"> {
  const all = Object.entries(kinds).map(([kind, costs]) => ({ kind, costs, median: spreadOf(costs).median }));
  const ratios = (all[0]?.costs ?? []).map((_, round) => {
    const costs = all.map(({ costs }) => costs[round] ?? NaN);
    return Math.max(...costs) / Math.min(...costs);
  });
  const order = all.toSorted((a, b) => b.median - a.median).map(({ kind }) => kind);
  return { figure: spreadOf(ratios), notes: [`slowest to fastest: ${order.join(", ")}`] };
}

async function serve(bench: Bench, kind: StoreKind): Promise<ServerProcess> {
  if (kind === "sqlite") await fill(bench, kind);
  return await bench.petstore(kind, "Deno", { path: databasePath(bench), pets: bench.scalePets, isScale: true });
}

/** Fills a store in a process of its own. That of SQLite is kept, so it is filled once. */
function fill(bench: Bench, kind: StoreKind): Promise<ScaleResult> {
  return bench.once(`fill ${kind}`, async () => {
    const settings = { store: kind, path: databasePath(bench), pets: bench.scalePets };
    return JSON.parse(await runPinned("scale_store.ts", settings));
  });
}

function databasePath(bench: Bench): string {
  return join(bench.folder, "scale.db");
}
