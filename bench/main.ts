/** `deno task bench`: runs the cases, prints the table and, after a whole run, writes the page of figures. */

import { Bench, type Case, type Group } from "./bench.ts";
import { IN_PROCESS } from "./cases/in_process.ts";
import { READS } from "./cases/reads.ts";
import { CHEAP_ANSWERS } from "./cases/refusals.ts";
import { ON_BUN, ON_NODE } from "./cases/runtimes.ts";
import { SCALE } from "./cases/scale.ts";
import { DISTURBANCE, WRITES } from "./cases/writes.ts";
import { findObstacle } from "./load/cores.ts";
import { killServers } from "./load/server_process.ts";
import { type BenchOptions, HELP, readOptions, WHOLE } from "./options.ts";
import { measureDisturbance, readMachine, readVersions } from "./report/machine.ts";
import { writePage } from "./report/page.ts";
import { formatFacts, formatTable } from "./report/table.ts";
import type { Row } from "./row.ts";

const GROUPS: readonly Group[] = [READS, CHEAP_ANSWERS, WRITES, DISTURBANCE, ON_BUN, ON_NODE, IN_PROCESS, SCALE];
const NAMES = GROUPS.flat().map(({ name }) => name);

/** Above this share of the processors' time, what else runs is worth a warning. */
const QUIET = 0.1;

Deno.exit(await main());

async function main(): Promise<number> {
  let options: BenchOptions | undefined;
  try {
    options = readOptions(Deno.args, NAMES);
  } catch (error) {
    return fail(error);
  }
  if (options === undefined) {
    console.log(`${HELP}\n${NAMES.map((name) => `  ${name}`).join("\n")}`);
    return 0;
  }
  const obstacle = findObstacle();
  if (obstacle) return fail(obstacle);
  const folder = await Deno.makeTempDir({ prefix: "petstore-bench-" });
  // Whatever is put aside from now on, here or in a server, goes when the folder goes.
  Deno.env.set("TMPDIR", folder);
  const clean = () => Deno.removeSync(folder, { recursive: true });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      killServers();
      clean();
      Deno.exit(130);
    });
  }
  try {
    await report(options, folder);
    return 0;
  } catch (error) {
    return fail(error);
  } finally {
    clean();
  }
}

function fail(cause: unknown): number {
  console.error(`petstore bench: ${cause instanceof Error ? cause.message : cause}`);
  return 2;
}

async function report(options: BenchOptions, folder: string): Promise<void> {
  const begin = Date.now();
  const disturbance = await measureDisturbance();
  if (disturbance > QUIET) {
    progress(`other work uses ${Math.round(disturbance * 100)} % of the processors: the ratios will scatter`);
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

/** Lines that are no result: on standard error, so that the table can be kept apart. */
function progress(line: string): void {
  console.error(`bench: ${line}`);
}
