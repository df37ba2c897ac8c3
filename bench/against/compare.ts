/** Two trees measured in the same rounds, and what their difference means. */

import { digits, table } from "../report/table.ts";
import { ratioOf, type Spread, spreadOf } from "../row.ts";

/** A tree in a round. */
export interface Sample {
  /** Requests a second. */
  rate: number;
  /** Microseconds of processor time for a request. */
  processor: number;
}

/** A line of the table. Both series have a sample for each round. */
export interface Comparison {
  what: string;
  before: readonly Sample[];
  after: readonly Sample[];
}

/** The ratio of two series, and whether it is more than noise. */
export interface Change extends Spread {
  isClear: boolean;
}

/** The chance of noise above which a difference is not clear. */
const CHANCE = 0.02;

/** Smaller differences are not clear: two copies of the same code differ so much by where their code lies in memory. */
const LEAST = 0.02;

export function changeOf(before: readonly number[], after: readonly number[]): Change {
  const ratio = ratioOf(after, before);
  const chance = chanceOfNoise(after.map((figure, round) => figure / (before[round] ?? NaN)));
  return { ...ratio, isClear: chance <= CHANCE && Math.abs(ratio.median - 1) >= LEAST };
}

/**
 * The chance that ratios of equal things lean at least so far to one side: Wilcoxon's signed-rank test for pairs, exact
 * and for both sides. It assumes nothing of how noise is distributed. A single outlier moves it little.
 */
export function chanceOfNoise(ratios: readonly number[]): number {
  const logarithms = ratios.map(Math.log).filter((value) => value !== 0);
  const ranked = logarithms.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  const above = ranked.reduce((sum, value, index) => value > 0 ? sum + index + 1 : sum, 0);
  const most = ranked.length * (ranked.length + 1) / 2;
  // At each sum of ranks stands how many of all ways to give signs have it.
  const ways = [1, ...Array.from({ length: most }, () => 0)];
  for (let rank = 1; rank <= ranked.length; rank++) {
    for (let sum = most; sum >= rank; sum--) ways[sum]! += ways[sum - rank]!;
  }
  const asFar = ways.slice(0, Math.min(above, most - above) + 1).reduce((sum, count) => sum + count, 0);
  return Math.min(1, 2 * asFar / 2 ** ranked.length);
}

/** The table and how to read it. */
export function formatComparisons(before: string, after: string, comparisons: readonly Comparison[]): string {
  const rounds = comparisons[0]?.before.length ?? 0;
  const head = [
    "",
    "a second",
    `of ${before}`,
    "rounds",
    "",
    "processor time",
    `of ${before}`,
    "rounds",
    "",
  ];
  return `${table(head, comparisons.map(cells))}

${after} beside ${before}: medians of ${rounds} rounds, with the smallest and the largest. More requests a second are better,
and so is less processor time for a request. "~": a difference below ${
    LEAST * 100
  } %, or one that equal code shows in more than
${CHANCE * 100} of 100 runs${rounds < FEWEST ? `. So few rounds make nothing clear: it takes ${FEWEST}` : ""}.`;
}

/** The fewest rounds. With fewer, noise leans to one side more often than {@link CHANCE}. */
const FEWEST = 1 - Math.floor(Math.log2(CHANCE));

function cells({ what, before, after }: Comparison): string[] {
  const rate = (samples: readonly Sample[]) => samples.map(({ rate }) => rate);
  const processor = (samples: readonly Sample[]) => samples.map(({ processor }) => processor);
  return [
    what,
    digits(spreadOf(rate(after)).median),
    ...changeCells(changeOf(rate(before), rate(after)), ["slower", "faster"]),
    `${digits(spreadOf(processor(after)).median)} µs`,
    ...changeCells(changeOf(processor(before), processor(after)), ["less", "more"]),
  ];
}

function changeCells({ median, low, high, isClear }: Change, [down, up]: [string, string]): string[] {
  const mark = isClear ? median < 1 ? down : up : "~";
  return [median.toFixed(2), `${low.toFixed(2)} to ${high.toFixed(2)}`, mark];
}
