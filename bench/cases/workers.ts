/** Two workers of the standalone server, compared with one. The load uses the same two cores. */

import { formatCursor } from "../../lib/operations/paging.ts";
import { checkStatus } from "../responses.ts";
import type { Bench, Case, Group } from "../bench.ts";
import { CATALOGUE_SIZE, sample } from "../catalogue.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, withLoad } from "../rounds.ts";
import { type Floor, ratioOf, type Row } from "../row.ts";
import { POST } from "./library.ts";

/** More pages of 100 than the server keeps. */
const PAGES = 20_000;

const FASTER: Floor = {
  bound: "at least",
  value: 1.25,
  missed:
    "One worker and the load keep both cores busy already. With two, each create also goes to the thread that writes and back.",
};

export const WORKERS: Group = [
  workersCase("workers-post", "Durable POST", () => POST),
  workersCase("workers-list", "Pages of 100, not kept", () => load(randomPages())),
];

function randomPages(): string[] {
  const starts = sample(PAGES, 1, CATALOGUE_SIZE - 100);
  return starts.map((id) => `/v1/pets?limit=100&cursor=${formatCursor(BigInt(id))}`);
}

function workersCase(name: string, what: string, prepare: () => Load): Case {
  async function run(bench: Bench): Promise<Row[]> {
    const asked = prepare();
    const [one, two] = [await start(bench, 1), await start(bench, 2)];
    for (const server of [one, two]) await checkStatus(server, { ...asked, paths: asked.paths.slice(0, 1) });
    const series = await measureRounds(withLoad({ one, two }, asked), bench.effort);
    const parts = { name, subject: "two workers", base: "one", unit: "×" as const, notes: [] };
    const ratio = (of: "rate" | "efficiency") =>
      ratioOf(series.two.map((measured) => measured[of]), series.one.map((measured) => measured[of]));
    return [
      { ...parts, title: `${what}, throughput`, figure: ratio("rate"), floor: FASTER },
      {
        ...parts,
        title: `${what}, for each second of processor time`,
        figure: ratio("efficiency"),
        floor: { ...FASTER, value: 0.9 },
      },
    ];
  }
  return { name, quick: false, run };
}

function start(bench: Bench, workers: number) {
  return bench.standalone(`${workers} workers`, { flags: [`--workers=${workers}`], onAllCores: true });
}
