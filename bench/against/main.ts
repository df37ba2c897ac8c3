/** `deno task bench --against REF`: this tree beside an earlier commit. Only what is public of both is used: flags and exports. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseFlags, readCount, runTool, UsageError } from "../command_line.ts";
import { findObstacle } from "../load/cores.ts";
import { stopServersOnSignals } from "../load/server_process.ts";
import { measureDisturbance } from "../report/machine.ts";
import { type Checkout, checkOut, thisTree } from "./checkout.ts";
import { formatComparisons, type Sample } from "./compare.ts";
import { PARTS, REQUESTS, type Started, type Turn, turnsInProcess, turnsOf } from "./contenders.ts";

const ROUNDS = 9;

/** The parts and the kinds of requests that `--only` takes. */
const KNOWN: readonly string[] = [...Object.keys(PARTS), "in-process", ...Object.keys(REQUESTS)];

const HELP = `deno task bench --against REF [options]    this tree beside an earlier commit, in one run

REF is a commit, a branch or a tag. Uncommitted changes of this tree are measured, as its files are.

  --rounds N    rounds, by default ${ROUNDS}; each takes about half a minute and starts all servers anew
  --only WHAT   a part or a kind of request: ${KNOWN.join(", ")}; repeatable
  --help        this text

server      as its task starts it, on both cores: an SQLite file, and the access log in a file
library     createPetstore() on Deno.serve, on one core: pets in memory, no log
in-process  calls of handle() without a socket: pets in memory, 64 requests at a time
`;

/** The samples of both trees in each round. */
type Series = Map<string, [before: Sample[], after: Sample[]]>;

stopServersOnSignals();

await runTool("bench", async (folder) => {
  const { against: ref = "", only = [], ...given } = parseFlags(Deno.args, HELP, {
    against: { type: "string" },
    only: { type: "string", multiple: true },
    rounds: { type: "string" },
  });
  if (ref === "") throw new UsageError("--against needs a commit, such as --against HEAD~1");
  for (const name of only) {
    if (!KNOWN.includes(name)) throw new UsageError(`--only must be one of ${KNOWN.join(", ")}, not ${name}`);
  }
  const rounds = readCount("rounds", given.rounds, ROUNDS);
  const obstacle = findObstacle();
  if (obstacle) throw new UsageError(obstacle);
  const before = await checkOut(ref, folder), after = await thisTree();
  const others = Math.round(100 * await measureDisturbance());
  if (others > 10) progress(`other work uses ${others} % of the processors, so figures will vary much`);
  const series: Series = new Map();
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    // Each tree goes first in every second round.
    const trees = round % 2 === 0 ? [before, after] : [after, before];
    const onSample = (turn: string, tree: Checkout, sample: Sample) => {
      const both = series.get(turn) ?? [[], []];
      series.set(turn, both);
      both[tree === before ? 0 : 1].push(sample);
    };
    for (const part of chosen({ ...PARTS, "in-process": undefined }, only)) {
      const place = join(folder, `${part}-${round}`);
      await measurePart(part, chosen(REQUESTS, only), place, trees, onSample);
    }
  }
  const comparisons = [...series].map(([what, [before, after]]) => ({ what, before, after }));
  console.log(formatComparisons(before.name, after.name, comparisons));
  return [];
});

/** The names that `--only` gives, or all if it gives none of them. */
function chosen<T extends string>(all: Readonly<Record<T, unknown>>, only: readonly string[]): readonly T[] {
  const names = Object.keys(all) as T[], some = names.filter((name) => only.includes(name));
  return some.length > 0 ? some : names;
}

async function measurePart(
  part: keyof typeof PARTS | "in-process",
  kinds: readonly (keyof typeof REQUESTS)[],
  folder: string,
  trees: readonly Checkout[],
  onSample: (turn: string, tree: Checkout, sample: Sample) => void,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const turns = new Map<Checkout, readonly Turn[]>();
  for (const [number, tree] of trees.entries()) {
    if (part === "in-process") {
      turns.set(tree, turnsInProcess(tree, kinds));
      continue;
    }
    const place = join(folder, String(number));
    mkdirSync(place, { recursive: true });
    stack.defer(() => Deno.remove(place, { recursive: true }));
    const started: Started = { part, server: stack.use(await PARTS[part](tree, place)) };
    turns.set(tree, await turnsOf(started, kinds));
  }
  for (const [index, { name }] of turns.get(trees[0]!)!.entries()) {
    for (const [tree, own] of turns) onSample(name, tree, await own[index]!.take());
  }
}

function progress(line: string): void {
  console.error(`bench: ${line}`);
}
