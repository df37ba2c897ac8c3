/** A million pets in and out, beside SQLite's own shell. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { openSqliteImporter } from "../../lib/stores/sqlite/importer.ts";
import { SERVER, taskFlags } from "../../tests/support/server/serve_task.ts";
import { hasCommand } from "../../tests/support/system/commands.ts";
import type { Bench, Group } from "../bench.ts";
import { writePetFiles } from "../pet_files.ts";
import { timeCommand, type Timing } from "../load/timing.ts";
import { inRounds } from "../rounds.ts";
import { type Outcome, ratioOf, type Row, spreadOf } from "../row.ts";

const PETS = 1_000_000;

/** Enough of so long measurements. */
const MOST_ROUNDS = 3;

export const DATA: Group = [
  { name: "data-import", quick: false, run: importPets },
  { name: "data-export", quick: false, run: exportPets },
];

export const PETSTORE = [Deno.execPath(), "run", ...taskFlags(), SERVER];
const MISSED = "Of its 6.4 s, 0.26 are the start of Deno and the modules: without it, the ratio is 0.82.";
const NO_SHELL = { skipped: "sqlite3 is not installed, SQLite's shell" };

async function importPets(bench: Bench): Promise<Outcome> {
  if (!hasCommand("sqlite3")) return NO_SHELL;
  const files = await bench.once("pet files", () => writePetFiles(bench.folder, PETS));
  let number = 0;
  /** Times a command on a new database with the tables, and counts what it has added. */
  async function timed(command: (path: string) => string[]): Promise<Timing> {
    const path = join(bench.folder, `import-${number++}.db`);
    openSqliteImporter(path).close();
    const timing = await timeCommand(command(path));
    assert.equal(await query(path, "SELECT count(*) FROM pets"), String(PETS));
    for (const end of ["", "-wal", "-shm"]) await Deno.remove(path + end).catch(() => {});
    return timing;
  }
  const own = (file: string) => () => timed((path) => [...PETSTORE, "import", file, `--store=sqlite:${path}`]);
  const series = await inRounds({
    ndjson: own(files.ndjson),
    csv: own(files.csv),
    shell: () => timed((path) => ["sqlite3", path, `.import --csv ${files.rows} pets`]),
  }, Math.min(MOST_ROUNDS, bench.effort.rounds));
  const floor = { bound: "at least", value: 0.8, missed: MISSED } as const;
  const parts = { name: "data-import", base: "sqlite3 .import", floor };
  return [
    ratio(
      { ...parts, title: "A million pets, import of NDJSON", subject: "petstore import" },
      series.ndjson,
      series.shell,
    ),
    ratio({ ...parts, title: "A million pets, import of CSV", subject: "petstore import" }, series.csv, series.shell),
  ];
}

async function exportPets(bench: Bench): Promise<Outcome> {
  if (!hasCommand("sqlite3")) return NO_SHELL;
  const files = await bench.once("pet files", () => writePetFiles(bench.folder, PETS));
  const path = join(bench.folder, "export.db");
  await timeCommand([...PETSTORE, "import", files.ndjson, `--store=sqlite:${path}`]);
  const own = (format: string) => () =>
    timeCommand([...PETSTORE, "export", `--format=${format}`, `--store=sqlite:${path}`]);
  const series = await inRounds({
    ndjson: own("ndjson"),
    csv: own("csv"),
    shell: () => timeCommand(["sqlite3", "-csv", path, "SELECT * FROM pets"]),
  }, Math.min(MOST_ROUNDS, bench.effort.rounds));
  const parts = { name: "data-export", base: "sqlite3 -csv, SELECT" };
  return [
    ratio(
      { ...parts, title: "A million pets, export as NDJSON", subject: "petstore export" },
      series.ndjson,
      series.shell,
    ),
    ratio({ ...parts, title: "A million pets, export as CSV", subject: "petstore export" }, series.csv, series.shell),
  ];
}

async function query(path: string, sql: string): Promise<string> {
  const { stdout } = await new Deno.Command("sqlite3", { args: [path, sql] }).output();
  return new TextDecoder().decode(stdout).trim();
}

/** Rates divided, by the clock and by processor time. */
export function ratio(
  parts: Pick<Row, "name" | "title" | "subject" | "base" | "floor">,
  subject: readonly Timing[],
  base: readonly Timing[],
): Row {
  const compare = (of: keyof Timing) =>
    ratioOf(subject.map((timing) => 1 / timing[of]), base.map((timing) => 1 / timing[of]));
  const rate = (timings: readonly Timing[]) =>
    Math.round(PETS / spreadOf(timings.map(({ elapsed }) => elapsed)).median).toLocaleString("en");
  return {
    ...parts,
    unit: "×",
    figure: compare("elapsed"),
    byProcessorTime: compare("processor"),
    notes: [`${rate(subject)} pets a second against ${rate(base)}`],
  };
}
