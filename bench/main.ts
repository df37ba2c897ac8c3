/** `deno task bench`: runs the cases, prints the table and, after a complete run, writes docs/benchmarks.md. */

import { runTool, UsageError } from "../tests/support/command_line.ts";
import { Bench, type Case, type Group } from "./bench.ts";
import { IN_PROCESS } from "./cases/in_process.ts";
import { READS } from "./cases/reads.ts";
import { CHEAP_ANSWERS } from "./cases/refusals.ts";
import { ON_BUN, ON_NODE } from "./cases/runtimes.ts";
import { SCALE } from "./cases/scale.ts";
import { DISTURBANCE, WRITES } from "./cases/writes.ts";
import { findObstacle } from "./load/cores.ts";
import { killServers } from "./load/server_process.ts";
import { type BenchOptions, readOptions, WHOLE } from "./options.ts";
import { measureDisturbance, readMachine, readVersions } from "./report/machine.ts";
import { writePage } from "./report/page.ts";
import { formatFacts, formatTable } from "./report/table.ts";
import type { Row } from "./row.ts";

const GROUPS: readonly Group[] = [READS, CHEAP_ANSWERS, WRITES, DISTURBANCE, ON_BUN, ON_NODE, IN_PROCESS, SCALE];

/** The share of the processors' time above which other work causes a warning. */
const QUIET = 0.1;

// These listeners come before those of runTool(), which end the process.
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, killServers);

await runTool("bench", async (folder) => {
  const options = readOptions(Deno.args, GROUPS.flat().map(({ name }) => name));
  const obstacle = findObstacle();
  if (obstacle) throw new UsageError(obstacle);
  // The servers' temporary files are removed with the folder.
  Deno.env.set("TMPDIR", folder);
  await report(options, folder);
  return [];
});

async function report(options: BenchOptions, folder: string): Promise<void> {
  const begin = Date.now();
  const disturbance = await measureDisturbance();
  if (disturbance > QUIET) {
    progress(`other work uses ${Math.round(disturbance * 100)} % of the processors, so the ratios will vary`);
  }
  const versions = await readVersions();
  const machine = readMachine(folder);
  const rows = await runAll(options, folder, (name, number, count) => {
    progress(`${number} of ${count}, ${Math.round((Date.now() - begin) / 1000)} s: ${name}`);
  });
  const minutes = (Date.now() - begin) / 60_000;
  console.log(`${formatTable(rows)}\n\n${formatFacts([...versions, ...machine])}`);
  const isWhole = options.only === undefined && options.rounds >= WHOLE.rounds && options.pets === WHOLE.pets;
  if (!isWhole || options.isQuick) return;
  await writePage({ rows, versions, machine, date: new Date(), minutes, disturbance });
  progress("docs/benchmarks.md and its plots are written");
}

async function runAll(
  { only, isQuick, rounds, pets }: BenchOptions,
  folder: string,
  onStart: (name: string, number: number, count: number) => void,
): Promise<Row[]> {
  const isWanted = ({ name, quick }: Case) => only ? only.includes(name) : quick || !isQuick;
  const count = GROUPS.flat().filter(isWanted).length;
  const rows: Row[] = [];
  let number = 0;
  for (const group of GROUPS) {
    await using bench = new Bench({ rounds, seconds: 1 }, folder, pets);
    for (const wanted of group.filter(isWanted)) {
      onStart(wanted.name, ++number, count);
      rows.push(...await wanted.run(bench));
    }
  }
  return rows;
}

/** Progress goes to standard error, results to standard output. */
function progress(line: string): void {
  console.error(`bench: ${line}`);
}
