/** `deno task bench`: runs the cases, prints the table and, when every case has a result, writes bench/results.md and its plots. */

import { type Finding, runTool, UsageError } from "../tools/command_line.ts";
import { Bench, type Case, type Group } from "./bench.ts";
import { DEFAULT } from "./cases/default.ts";
import { READS } from "./cases/reads.ts";
import { LIBRARY } from "./cases/library.ts";
import { ON_NODE } from "./cases/runtimes.ts";
import { SLOW_DISK } from "./cases/slow_disk.ts";
import { findObstacle } from "./load/cores.ts";
import { killServers } from "./load/server_process.ts";
import { type BenchOptions, readOptions, WHOLE } from "./options.ts";
import { measureDisturbance, readMachine, readVersions } from "./report/machine.ts";
import { rowsOf, writePage, writePlots } from "./report/page.ts";
import { formatFacts, formatTable } from "./report/table.ts";
import { readResults, type Results, writeResults } from "./results.ts";

const GROUPS: readonly Group[] = [DEFAULT, READS, LIBRARY, ON_NODE, SLOW_DISK];
const CASES: readonly Case[] = GROUPS.flat();

/** The share of the processors' time above which other work causes a warning. */
const QUIET = 0.1;

// These listeners come before those of runTool(), which end the process.
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, killServers);

await runTool("bench", async (folder) => {
  const options = readOptions(Deno.args, CASES.map(({ name }) => name));
  const obstacle = findObstacle();
  if (obstacle) throw new UsageError(obstacle);
  // The servers' temporary files are removed with the folder.
  Deno.env.set("TMPDIR", folder);
  const isKept = options.rounds >= WHOLE.rounds;
  const results: Results = isKept && (options.isResumed || options.isQuick || options.only) ? readResults() : new Map();
  const findings = await runAll(options, folder, results, () => isKept && writeResults(results));
  const versions = await readVersions(), machine = readMachine(folder);
  const shown = CASES.filter(({ name, quick }) => options.only?.includes(name) ?? (quick || !options.isQuick));
  const measured = shown.flatMap(({ name }) => results.get(name) ?? []);
  console.log(`${formatTable(rowsOf(measured))}\n\n${formatFacts([...versions, ...machine])}`);
  const missing = CASES.filter(({ name }) => !results.has(name));
  if (!isKept) return findings;
  const drawn = await writePlots(rowsOf([...results.values()]));
  if (missing.length > 0) progress(`${missing.length} cases have no result for the page; continue with --resume`);
  else {
    await writePage({ results: CASES.map(({ name }) => [name, results.get(name)!]), versions, machine }, drawn);
    progress("bench/results.md and its plots are written");
  }
  return findings;
});

/** Runs the wanted cases. A case that fails is reported, and the others go on. */
async function runAll(
  { only, isQuick, isResumed, rounds }: BenchOptions,
  folder: string,
  results: Results,
  onResult: () => void,
): Promise<Finding[]> {
  const isWanted = ({ name, quick }: Case) =>
    only ? only.includes(name) : isResumed ? !results.has(name) : quick || !isQuick;
  const count = CASES.filter(isWanted).length;
  const findings: Finding[] = [];
  let number = 0;
  for (const group of GROUPS) {
    // A folder for each group: a log of an earlier server would name that server's port.
    await using bench = new Bench({ rounds, seconds: 0.6 }, Deno.makeTempDirSync({ dir: folder }));
    for (const wanted of group.filter(isWanted)) {
      const disturbance = await measureDisturbance();
      progress(`${++number} of ${count}: ${wanted.name}`);
      if (disturbance > QUIET) progress(`other work uses ${Math.round(disturbance * 100)} % of the processors`);
      const begin = Date.now();
      try {
        const outcome = await wanted.run(bench);
        if ("skipped" in outcome) progress(`${wanted.name} is skipped: ${outcome.skipped}`);
        const seconds = (Date.now() - begin) / 1000;
        results.set(wanted.name, { outcome, at: new Date().toISOString(), seconds, disturbance });
        onResult();
      } catch (error) {
        findings.push({
          kind: "failed case",
          detail: `${wanted.name}: ${error instanceof Error ? error.message : error}`,
        });
        progress(`${wanted.name} failed`);
        console.error(error);
      }
    }
  }
  return findings;
}

/** Progress goes to standard error, results to standard output. */
function progress(line: string): void {
  console.error(`bench: ${line}`);
}
