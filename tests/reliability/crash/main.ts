/** `deno task crash`: kills a server under creating clients, round after round, and audits what it kept. */

import { formatTable, runTool } from "../../support/command_line.ts";
import { countKinds, type Finding } from "../shared/finding.ts";
import { readRoundOptions, type RoundOptions } from "../shared/round_options.ts";
import { type RoundsReport, runRounds } from "../shared/rounds.ts";
import { type CrashFigures, runCrashRound } from "./round.ts";

const ABOUT = `deno task crash [options]

A standalone server on an SQLite file, or four on a PostgreSQL; creating clients, and one that follows the ids; other
programs that open the store, read, check, copy or lock it, and close it; SIGKILL at a random moment to the server, or to the four, to PostgreSQL, to all or to their connections; a restart on what is left, an
audit, retries of what was not answered, another audit. Exit status 1 if anything is wrong.
`;

/** What can be wrong. */
const KINDS = [
  "lost",
  "missed",
  "doubled",
  "half-stored",
  "unordered",
  "answer",
  "replay",
  "list",
  "store",
  "exit",
] as const;

await runTool("crash", async (folder) => {
  const options = readRoundOptions(Deno.args, ABOUT);
  console.log(`crash: seed ${options.seed}`);
  const begin = performance.now();
  const report = await runRounds({
    ...options,
    folder,
    run: (stage) => runCrashRound(stage, options),
    onRound: (number, figures, findings) =>
      console.log(`crash: round ${number} of ${options.rounds}: ${describe(figures, findings)}`),
  });
  console.log(summarize(report, options, Math.round((performance.now() - begin) / 1000)));
  return report.findings;
});

function describe(figures: CrashFigures, findings: readonly Finding[]): string {
  const { moment, acknowledged, kills, inFlight, stored, retries, replays } = figures;
  return [
    `killed after ${moment} ms${kills > 1 ? ` and ${kills - 1} times more` : ""}`,
    `${acknowledged} acknowledged`,
    `${inFlight} in flight, ${stored} of them stored`,
    `${retries} retries, ${replays} replays`,
    `${findings.length} wrong`,
  ].join("; ");
}

function summarize(
  { rounds, findings }: RoundsReport<CrashFigures>,
  { store, clients, seed }: RoundOptions,
  seconds: number,
): string {
  const sum = (name: keyof CrashFigures) => rounds.reduce((total, figures) => total + figures[name], 0);
  return formatTable({
    rounds: `${rounds.length} in ${seconds} s`,
    with: `${clients} clients, store ${store}, seed ${seed}`,
    "creates acknowledged": sum("acknowledged"),
    kills: sum("kills"),
    "visits of other programs": sum("visits"),
    "kills that hit creates in flight": sum("killsInFlight"),
    "creates in flight": `${sum("inFlight")}, ${sum("stored")} of them stored`,
    retries: sum("retries"),
    replays: sum("replays"),
    ...countKinds(findings, KINDS),
  });
}
