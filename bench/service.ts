/** `deno task bench`: runs the cases, prints the page of the results and, when all have run, writes bench/results.md and its plots. */

import { type Finding, parseFlags, readCount, runTool, UsageError } from "./command_line.ts";
import { Bench, type Group } from "./bench.ts";
import { DEFAULT } from "./cases/default.ts";
import { LIBRARY, ON_NODE } from "./cases/library.ts";
import { READS } from "./cases/reads.ts";
import { SLOW_DISK } from "./cases/slow_disk.ts";
import { stopServersOnSignals } from "./load/server_process.ts";
import { findObstacle } from "./load/cores.ts";
import { measureDisturbance, readFacts } from "./report/machine.ts";
import { formatPage, writePage } from "./report/page.ts";
import type { Row } from "./row.ts";

const GROUPS: readonly Group[] = [DEFAULT, READS, LIBRARY, ON_NODE, SLOW_DISK];
const CASES: readonly string[] = GROUPS.flat().map(({ name }) => name);

/** The measured rounds of a page. */
const ROUNDS = 5;

const HELP = `deno task bench [options]           the service beside bare runtimes and other frameworks
deno task bench --against REF       this tree beside an earlier commit; see deno task bench --against REF --help
deno task bench latency [options]   how long many users wait, beside other servers

  --only CASE   this case only; repeatable
  --rounds N    measured rounds, by default ${ROUNDS}
  --help        this text

A run of all cases with at least ${ROUNDS} rounds writes bench/results.md and its plots.

Cases:
  ${CASES.join("\n  ")}
`;

stopServersOnSignals();

await runTool("bench", async (folder) => {
  const { only, ...given } = parseFlags(Deno.args, HELP, {
    only: { type: "string", multiple: true },
    rounds: { type: "string" },
  });
  for (const name of only ?? []) if (!CASES.includes(name)) throw new UsageError(`There is no case ${name}`);
  const rounds = readCount("rounds", given.rounds, ROUNDS);
  const obstacle = findObstacle();
  if (obstacle) throw new UsageError(obstacle);
  // The servers' temporary files are removed with the folder.
  Deno.env.set("TMPDIR", folder);
  const begin = Date.now();
  const { rows, findings, disturbance } = await runAll(only ?? CASES, rounds, folder);
  const report = { rows, minutes: (Date.now() - begin) / 60_000, disturbance, facts: await readFacts(folder) };
  console.log(formatPage(report));
  if (!only && rounds >= ROUNDS && findings.length === 0) await writePage(report);
  return findings;
});

/** Runs cases. One that fails is reported, and the others go on. */
async function runAll(names: readonly string[], rounds: number, folder: string) {
  const rows: Row[] = [], findings: Finding[] = [];
  let number = 0, most = 0;
  for (const group of GROUPS) {
    // A folder for each group: a log of an earlier server would name that server's port.
    await using bench = new Bench({ rounds, seconds: 0.6 }, Deno.makeTempDirSync({ dir: folder }));
    for (const { name, run } of group.filter(({ name }) => names.includes(name))) {
      const disturbance = await measureDisturbance();
      most = Math.max(most, disturbance);
      // Progress goes to standard error, results to standard output.
      console.error(`bench: ${++number} of ${names.length}: ${name}; others use ${Math.round(disturbance * 100)} %`);
      try {
        rows.push(...await run(bench));
      } catch (error) {
        findings.push({ kind: "failed case", detail: `${name}: ${error instanceof Error ? error.message : error}` });
      }
    }
  }
  return { rows, findings, disturbance: most };
}
