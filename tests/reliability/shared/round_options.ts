import { parseFlags, readCount, UsageError } from "../../support/command_line.ts";
import { newSeed } from "../../support/random.ts";

/** One server on an SQLite file, or four on a PostgreSQL. */
export type StoreName = "sqlite" | "postgres";

export interface RoundOptions {
  store: StoreName;
  rounds: number;
  clients: number;
  /** The signal comes within so many milliseconds of the first acknowledgement. */
  within: number;
  seed: number;
}

const HELP = `
  --store NAME        sqlite, one server on a file, unless given; or postgres, four servers on one PostgreSQL
  --rounds N          how often, 20 unless given
  --clients N         how many create at once, 32 unless given
  --within N          the signal comes within so many milliseconds of the first acknowledgement, 300 unless given
  --seed N            repeats the pets, the moments and the retries of a run; the scheduler it cannot repeat
  --help              this text
`;

/** Reads the flags. `about` is the upper part of `--help`. */
export function readRoundOptions(args: readonly string[], about: string): RoundOptions {
  const values = parseFlags(args, about + HELP, {
    store: { type: "string" },
    rounds: { type: "string" },
    clients: { type: "string" },
    within: { type: "string" },
    seed: { type: "string" },
  });
  return {
    store: readStore(values.store),
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
