import { formatTable, parseFlags, readCount, runTool, UsageError } from "../../support/command_line.ts";
import { newSeed } from "../../support/random.ts";
import { countKinds, type FindingKind } from "./finding.ts";
import { runRounds, type Stage, type StoreName } from "./rounds.ts";

export interface RoundOptions {
  store: StoreName;
  /** Of each server. */
  workers: number;
  rounds: number;
  clients: number;
  /** The signal comes within so many milliseconds of the first acknowledgement. */
  within: number;
  seed: number;
}

export interface RoundsTool<Figures> {
  name: string;
  about: string;
  kinds: readonly FindingKind[];
  run(stage: Stage, options: RoundOptions): Promise<Figures>;
  describe(figures: Figures): string[];
  summarize(rounds: readonly Figures[], options: RoundOptions): Record<string, string | number>;
}

export async function runRoundsTool<Figures>({ name, run, ...tool }: RoundsTool<Figures>): Promise<never> {
  return await runTool(name, async (folder) => {
    const options = readRoundOptions(Deno.args, tool.about);
    console.log(`${name}: seed ${options.seed}`);
    const begin = performance.now();
    const { rounds, findings } = await runRounds({
      ...options,
      folder,
      run: (stage) => run(stage, options),
      onRound: (number, figures, wrong) => {
        const parts = [...tool.describe(figures), `${wrong.length} wrong`];
        console.log(`${name}: round ${number} of ${options.rounds}: ${parts.join("; ")}`);
      },
    });
    console.log(formatTable({
      rounds: `${rounds.length} in ${Math.round((performance.now() - begin) / 1000)} s`,
      ...tool.summarize(rounds, options),
      ...countKinds(findings, tool.kinds),
    }));
    return findings;
  });
}

export function sumOf<Figures>(rounds: readonly Figures[], read: (figures: Figures) => number): number {
  return rounds.reduce((total, figures) => total + read(figures), 0);
}

const HELP = `
  --store NAME        sqlite, one server on a file, unless given; or postgres, four servers on one PostgreSQL
  --workers N         how many threads of each server serve, 1 unless given
  --rounds N          how often, 20 unless given
  --clients N         how many create at once, 32 unless given
  --within N          the signal comes within so many milliseconds of the first acknowledgement, 300 unless given
  --seed N            repeats the pets, the moments and the retries of a run; the scheduler it cannot repeat
  --help              this text
`;

/** Reads the flags. `about` is the upper part of `--help`. */
function readRoundOptions(args: readonly string[], about: string): RoundOptions {
  const values = parseFlags(args, about + HELP, {
    store: { type: "string" },
    workers: { type: "string" },
    rounds: { type: "string" },
    clients: { type: "string" },
    within: { type: "string" },
    seed: { type: "string" },
  });
  return {
    store: readStore(values.store),
    workers: readCount("workers", values.workers, 1),
    rounds: readCount("rounds", values.rounds, 20),
    clients: readCount("clients", values.clients, 32),
    within: readCount("within", values.within, 300),
    seed: readCount("seed", values.seed, newSeed(), 0),
  };
}

function readStore(given = "sqlite"): StoreName {
  if (given === "sqlite" || given === "postgres") return given;
  throw new UsageError(`--store must be sqlite or postgres, not ${JSON.stringify(given)}`);
}
