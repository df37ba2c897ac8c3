/** `deno task bench --against REF`: this tree beside an earlier commit. Only what is public of both is used: flags and exports. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runTool, UsageError } from "../../tools/command_line.ts";
import { findObstacle } from "../load/cores.ts";
import { killServers } from "../load/server_process.ts";
import { measureDisturbance } from "../report/machine.ts";
import { type Checkout, checkOut, thisTree, tooOld } from "./checkout.ts";
import { formatComparisons, type Sample } from "./compare.ts";
import { contenders, type Turn } from "./contenders.ts";
import { type AgainstOptions, readAgainstOptions } from "./options.ts";

/** The samples of both trees in each round. */
type Series = Map<string, [before: Sample[], after: Sample[]]>;

// These listeners come before those of runTool(), which end the process and remove its folder.
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, killServers);

await runTool("bench", async (folder) => {
  const options = readAgainstOptions(Deno.args);
  const obstacle = findObstacle();
  if (obstacle) throw new UsageError(obstacle);
  const before = await checkOut(options.ref, folder), after = await thisTree();
  await tryBoth(options, folder, before, after);
  const others = Math.round(100 * await measureDisturbance());
  if (others > 10) progress(`other work uses ${others} % of the processors, so figures will vary much`);
  const series: Series = new Map();
  for (let round = 0; round < options.rounds; round++) {
    progress(`round ${round + 1} of ${options.rounds}`);
    const place = newFolder(folder, `round-${round}`);
    // Each tree goes first in every second round.
    await measureRound(options, place, round % 2 === 0 ? [before, after] : [after, before], (turn, tree, sample) => {
      const both = series.get(turn) ?? [[], []];
      series.set(turn, both);
      both[tree === before ? 0 : 1].push(sample);
    });
    await Deno.remove(place, { recursive: true });
  }
  const comparisons = [...series].map(([what, [before, after]]) => ({ what, before, after }));
  console.log(formatComparisons(before.name, after.name, comparisons));
  return [];
});

/** Starts everything once, so that a tree that does not start is known before minutes have passed. */
async function tryBoth({ parts }: AgainstOptions, folder: string, before: Checkout, after: Checkout): Promise<void> {
  for (const part of parts) {
    for (const tree of [after, before]) {
      const place = newFolder(folder, `try-${part}-${tree === before ? "before" : "after"}`);
      try {
        await using _tried = await contenders[part](tree, place);
      } catch (error) {
        throw tree === before ? tooOld(tree.name, error instanceof Error ? error.message : String(error)) : error;
      }
    }
  }
}

async function measureRound(
  { parts, requests }: AgainstOptions,
  folder: string,
  trees: readonly Checkout[],
  onSample: (turn: string, tree: Checkout, sample: Sample) => void,
): Promise<void> {
  for (const part of parts) {
    await using started = new AsyncDisposableStack();
    const turns = new Map<Checkout, readonly Turn[]>();
    for (const [number, tree] of trees.entries()) {
      const contender = started.use(await contenders[part](tree, newFolder(folder, `${part}-${number}`)));
      turns.set(tree, requests.flatMap((kind) => contender.turns(kind)));
    }
    for (const [index, { name }] of turns.get(trees[0]!)!.entries()) {
      for (const [tree, own] of turns) {
        const sample = await own[index]!.take();
        if (name !== undefined) onSample(name, tree, sample);
      }
    }
  }
}

function newFolder(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

function progress(line: string): void {
  console.error(`bench: ${line}`);
}
