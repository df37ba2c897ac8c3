/** The command line of `deno task bench --against REF`. */

import { parseFlags, readCount, UsageError } from "../../tools/command_line.ts";

/** What is compared. */
export const PARTS = ["server", "library", "in-process"] as const;
export type Part = typeof PARTS[number];

export const REQUESTS = ["get", "random", "list", "filtered", "create"] as const;
export type RequestKind = typeof REQUESTS[number];

export interface AgainstOptions {
  ref: string;
  rounds: number;
  parts: readonly Part[];
  requests: readonly RequestKind[];
}

const ROUNDS = 9;

const HELP = `deno task bench --against REF [options]    this tree beside an earlier commit, in one run

REF is a commit, a branch or a tag. Uncommitted changes of this tree are measured, as its files are.

  --rounds N    rounds, by default ${ROUNDS}; each takes about half a minute and starts all servers anew
  --only WHAT   a part (${PARTS.join(", ")}) or a kind of request (${REQUESTS.join(", ")}); repeatable
  --help        this text

server      as its task starts it, on both cores: an SQLite file, and the access log in a file
library     createPetstore() on Deno.serve, on one core: pets in memory, no log
in-process  handle() called in a loop, without a socket
`;

/**
 * Reads the command line. `--help` ends the process.
 *
 * @throws {UsageError} If an option is wrong.
 */
export function readAgainstOptions(args: readonly string[]): AgainstOptions {
  const { against: ref = "", only = [], ...given } = parseFlags(args, HELP, {
    against: { type: "string" },
    only: { type: "string", multiple: true },
    rounds: { type: "string" },
  });
  if (ref === "") throw new UsageError("--against needs a commit, such as --against HEAD~1");
  const known: readonly string[] = [...PARTS, ...REQUESTS];
  for (const name of only) {
    if (!known.includes(name)) throw new UsageError(`--only must be one of ${known.join(", ")}, not ${name}`);
  }
  const chosen = <T extends string>(all: readonly T[]) => {
    const some = all.filter((name) => only.includes(name));
    return some.length > 0 ? some : all;
  };
  return {
    ref,
    rounds: readCount("rounds", given.rounds, ROUNDS),
    parts: chosen(PARTS),
    requests: chosen(REQUESTS),
  };
}
