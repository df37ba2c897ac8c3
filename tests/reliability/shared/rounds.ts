import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "./finding.ts";
import { type Installation, SqliteInstallation } from "./installation.ts";
import { Journal } from "./journal.ts";
import { PostgresInstallation } from "./postgres_installation.ts";
import { Random } from "../../support/random.ts";

/** One server on an SQLite file, or four on a PostgreSQL. */
export type StoreName = "sqlite" | "postgres";

/** The setting of a round, which starts and ends with a running installation. */
export interface Stage {
  installation: Installation;
  journal: Journal;
  random: Random;
  /** Tells this round's pets from those of others. */
  tag: string;
}

export interface Rounds<Figures> {
  rounds: number;
  seed: number;
  folder: string;
  run(stage: Stage): Promise<Figures>;
  onRound?(number: number, figures: Figures, findings: readonly Finding[]): void;
  /** SQLite unless given. */
  store?: StoreName;
  /** Of each server. One unless given. */
  workers?: number;
}

export interface RoundsReport<Figures> {
  rounds: Figures[];
  findings: Finding[];
}

/** Rounds on one store: a start on an empty one counts too, and each round reads the whole store twice. */
const ROUNDS_PER_STORE = 10;

export async function runRounds<Figures>(
  { rounds, seed, folder, run, onRound, store = "sqlite", workers = 1 }: Rounds<Figures>,
): Promise<RoundsReport<Figures>> {
  const random = new Random(seed);
  const report: RoundsReport<Figures> = { rounds: [], findings: [] };
  while (report.rounds.length < rounds) {
    const inner = join(folder, `store-${report.rounds.length + 1}`);
    mkdirSync(inner);
    const journal = new Journal();
    await using installation = install(store, inner, workers, random);
    await installation.start();
    for (let i = 0; i < ROUNDS_PER_STORE && report.rounds.length < rounds; i++) {
      const known = journal.findings.length;
      const tag = `r${report.rounds.length + 1}`;
      report.rounds.push(await run({ installation, journal, random: random.fork(), tag }));
      onRound?.(report.rounds.length, report.rounds.at(-1) as Figures, journal.findings.slice(known));
    }
    await end(installation, journal);
    report.findings.push(...journal.findings);
  }
  return report;
}

function install(store: StoreName, folder: string, workers: number, random: Random): Installation {
  if (store === "sqlite") return new SqliteInstallation(folder, workers);
  return new PostgresInstallation(folder, workers, random.fork());
}

/** Ends properly, as a server must after any fault. */
export async function end(installation: Installation, journal: Journal): Promise<void> {
  const { status, errors } = await installation.stop();
  if (status !== 0 || errors !== "") journal.report("exit", `Status ${status}, standard error: ${errors}`);
  for (const line of installation.inspect()) journal.report("store", line);
}
