/** `deno task drain`: ends a server by SIGTERM under full load, round after round, and looks for answers that were cut. */

import { formatTable, runTool } from "../../support/command_line.ts";
import { countKinds, type Finding } from "../shared/finding.ts";
import { readRoundOptions, type RoundOptions } from "../shared/round_options.ts";
import { type RoundsReport, runRounds } from "../shared/rounds.ts";
import { type DrainFigures, runDrainRound } from "./round.ts";

const ABOUT = `deno task drain [options]

A standalone server on an SQLite file, clients that create and read, SIGTERM at a random moment: no answer may be cut. No
busy client may be left without one, nor an idle one that begins a request right then. The exit status must be 0, and after
a restart all that was acknowledged must be there, and nothing else. Exit status 1 if anything is wrong.
`;

/** What can be wrong. */
const KINDS = [
  "cut",
  "dropped",
  "unanswered",
  "lost",
  "doubled",
  "half-stored",
  "unordered",
  "answer",
  "replay",
  "list",
  "store",
  "exit",
] as const;

await runTool("drain", async (folder) => {
  const options = readRoundOptions(Deno.args, ABOUT);
  console.log(`drain: seed ${options.seed}`);
  const begin = performance.now();
  const report = await runRounds({
    ...options,
    folder,
    run: (stage) => runDrainRound(stage, options),
    onRound: (number, figures, findings) =>
      console.log(`drain: round ${number} of ${options.rounds}: ${describe(figures, findings)}`),
  });
  console.log(summarize(report, options, Math.round((performance.now() - begin) / 1000)));
  return report.findings;
});

function describe(figures: DrainFigures, findings: readonly Finding[]): string {
  const { moment, duration, acknowledged, reads, turnedAway, unsent, unanswered, cut } = figures;
  return [
    `told to end after ${moment} ms, ended ${duration} ms later`,
    `${acknowledged} acknowledged, ${reads} reads`,
    `${turnedAway} turned away, ${unsent} not taken, ${unanswered} closed before an answer, ${cut} cut`,
    `${findings.length} wrong`,
  ].join("; ");
}

function summarize(
  { rounds, findings }: RoundsReport<DrainFigures>,
  { clients, seed }: RoundOptions,
  seconds: number,
): string {
  const sum = (name: keyof DrainFigures) => rounds.reduce((total, figures) => total + figures[name], 0);
  return formatTable({
    rounds: `${rounds.length} in ${seconds} s`,
    with: `${clients} clients that create and a quarter as many that read, seed ${seed}`,
    "longest end": `${Math.max(...rounds.map(({ duration }) => duration))} ms`,
    "creates acknowledged": sum("acknowledged"),
    reads: sum("reads"),
    "turned away with 503": sum("turnedAway"),
    "connections refused": sum("refused"),
    "requests that were not taken whole": sum("unsent"),
    "connections closed before an answer": sum("unanswered"),
    "answers cut": sum("cut"),
    "creates asked for again": sum("retries"),
    ...countKinds(findings, KINDS),
  });
}
