/** The command line of `deno task bench`. */

import { parseArgs } from "node:util";

/** What is to be run. */
export interface BenchOptions {
  /** The cases that are wanted; all of them unless given. */
  only: readonly string[] | undefined;
  isQuick: boolean;
  rounds: number;
  /** Pets in the catalogue of the scale cases. */
  pets: number;
}

/** The page of figures is about these; with other options nothing is written. */
export const WHOLE = { rounds: 5, pets: 10_000_000 };

const QUICK_ROUNDS = 3;

/** Below this, the rare status is not rare enough for the pages that are compared. */
const FEWEST_PETS = 100_000;

/** What `--help` prints, above the names of the cases. */
export const HELP = `deno task bench [options]

  --quick       a few cases in ${QUICK_ROUNDS} rounds, in three minutes; writes no page
  --only CASE   this case only; repeatable
  --rounds N    rounds that count, ${WHOLE.rounds} unless given
  --pets N      pets of the scale cases, ${WHOLE.pets} unless given
  --help        this text

Cases:`;

/**
 * Reads the command line, or answers `undefined` if help is wanted.
 *
 * @throws {TypeError} If something is wrong with it.
 */
export function readOptions(args: string[], cases: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true },
      rounds: { type: "string" },
      pets: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  const { quick: isQuick, only } = values;
  if (values.help) return undefined;
  for (const name of only ?? []) if (!cases.includes(name)) throw new TypeError(`There is no case ${name}; see --help`);
  const rounds = readCount("rounds", values.rounds, isQuick ? QUICK_ROUNDS : WHOLE.rounds, 1);
  return { only, isQuick, rounds, pets: readCount("pets", values.pets, WHOLE.pets, FEWEST_PETS) };
}

function readCount(name: string, given: string | undefined, fallback: number, least: number): number {
  const count = given === undefined ? fallback : Number(given);
  if (Number.isInteger(count) && count >= least) return count;
  throw new TypeError(`--${name} must be a whole number from ${least}`);
}
