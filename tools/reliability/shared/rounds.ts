/** Rounds on one store after another, each of which ends the servers in its way. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../../tests/support/random.ts";
import { defineTool, type Tool } from "../tool.ts";
import type { Finding } from "./finding.ts";
import { type Installation, SqliteInstallation } from "./installation.ts";
import { Journal } from "./journal.ts";
import { PostgresInstallation } from "./postgres_installation.ts";

export type RoundOptions = {
  /** One server on an SQLite file, or four on a PostgreSQL. */
  store: "sqlite" | "postgres";
  /** Of each server. */
  workers: number;
  rounds: number;
  clients: number;
  /** The signal comes within so many milliseconds of the first acknowledgement. */
  within: number;
};

/** The setting of a round, which starts and ends with a running installation. */
export interface Stage extends Pick<RoundOptions, "clients" | "within"> {
  installation: Installation;
  journal: Journal;
  random: Random;
  /** Tells this round's pets from those of others. */
  tag: string;
}

export type Figures = Record<string, number>;

export interface RoundsReport {
  /** The sums of all rounds, and the maximum of what is called the longest. */
  figures: Figures;
  findings: Finding[];
}

/** Rounds on one store: a start on an empty one counts too, and each round reads the whole store twice. */
const ROUNDS_PER_STORE = 10;

export async function runRounds(
  runRound: (stage: Stage) => Promise<Figures>,
  options: RoundOptions,
  { seed, folder, log }: { seed: number; folder: string; log(line: string): void },
): Promise<RoundsReport> {
  const random = new Random(seed);
  const report: RoundsReport = { figures: {}, findings: [] };
  for (let round = 0; round < options.rounds;) {
    const inner = join(folder, `store-${round + 1}`);
    mkdirSync(inner);
    const journal = new Journal();
    await using installation = options.store === "sqlite"
      ? new SqliteInstallation(inner, options.workers)
      : new PostgresInstallation(inner, options.workers, random.fork());
    await installation.start();
    for (let i = 0; i < ROUNDS_PER_STORE && round < options.rounds; i++) {
      const known = journal.findings.length;
      const figures = await runRound({ ...options, installation, journal, random: random.fork(), tag: `r${++round}` });
      for (const [name, figure] of Object.entries(figures)) {
        const before = report.figures[name] ?? 0;
        report.figures[name] = name.startsWith("longest") ? Math.max(before, figure) : before + figure;
      }
      const shown = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
      log(`round ${round} of ${options.rounds}: ${shown.join(", ")}, findings ${journal.findings.length - known}`);
    }
    await end(installation, journal);
    report.findings.push(...journal.findings);
  }
  return report;
}

/** Ends properly, as a server must after any fault. */
export async function end(installation: Installation, journal: Journal): Promise<void> {
  const { status, errors } = await installation.stop();
  if (status !== 0 || errors !== "") journal.report("exit", `Status ${status}, standard error: ${errors}`);
  for (const line of installation.inspect()) journal.report("store", line);
}

export function defineRounds(about: string, runRound: (stage: Stage) => Promise<Figures>): Tool {
  return defineTool<RoundOptions>(about, {
    store: ["sqlite", "one server on an SQLite file, or with postgres four on one PostgreSQL", ["sqlite", "postgres"]],
    workers: [1, "how many threads of each server serve"],
    rounds: [20, "how often"],
    clients: [32, "how many create at once"],
    within: [300, "the signal comes within so many milliseconds of the first acknowledgement"],
  }, (options, run) => runRounds(runRound, options, run));
}
