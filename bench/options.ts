/** The command line of `deno task bench`. */

import { parseFlags, readCount, UsageError } from "../tools/command_line.ts";

export interface BenchOptions {
  /** The selected cases; all by default. */
  only: readonly string[] | undefined;
  isQuick: boolean;
  /** Whether cases that have a result are left out. */
  isResumed: boolean;
  rounds: number;
}

/** The effort for bench/results.md. */
export const WHOLE = { rounds: 5 };

const HELP = `deno task bench [options]           the service beside bare runtimes and other frameworks
deno task bench --against REF       this tree beside an earlier commit; see deno task bench --against REF --help
deno task bench start [options]     the first response and the first seconds beside other servers

  --quick       only the cases of the README, Node and a slow disk, about five minutes
  --resume      only the cases without a result, after a run that was interrupted or had failures
  --only CASE   this case only, even if it has a result; repeatable
  --rounds N    measured rounds, by default ${WHOLE.rounds}
  --help        this text

Results are kept in dist/benchmarks.json. The plots are drawn from them, and bench/results.md when every case has one.

Cases:
`;

/**
 * Reads the command line. `--help` ends the process.
 *
 * @throws {UsageError} If an option is wrong.
 */
export function readOptions(args: string[], cases: readonly string[]): BenchOptions {
  const { quick: isQuick = false, resume: isResumed = false, only, ...given } = parseFlags(
    args,
    `${HELP}  ${cases.join("\n  ")}`,
    {
      quick: { type: "boolean" },
      resume: { type: "boolean" },
      only: { type: "string", multiple: true },
      rounds: { type: "string" },
    },
  );
  if (isResumed && (isQuick || only)) throw new UsageError("--resume takes neither --quick nor --only");
  for (const name of only ?? []) if (!cases.includes(name)) throw new UsageError(`There is no case ${name}`);
  const rounds = readCount("rounds", given.rounds, WHOLE.rounds);
  return { only, isQuick, isResumed, rounds };
}
