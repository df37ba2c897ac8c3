/** The results: a row of the table for each figure. */

/** What a contender did in a round. */
export interface Sample {
  /** Requests a second. */
  rate: number;
  /** Requests for each second of the contender's processor time. Other work on the machine hardly affects it. */
  efficiency?: number;
  /** The 99th percentile of the latency, in milliseconds. */
  p99?: number;
}

/** The samples of a case: one for each round, by the names of the contenders. */
export type Series = Record<string, Sample[]>;

/** What a row says of the contenders of a case: the speed of `subject`, or its ratio to that of `base`. */
export interface Figure {
  subject: string;
  base?: string;
  /** The 99th percentile in place of the speed. */
  of?: "p99";
}

/** The median of several rounds, and their range. */
export interface Spread {
  median: number;
  low: number;
  high: number;
  /** Of ratios in enough rounds: whether they are more than noise. */
  change?: "~" | "slower" | "faster";
}

export interface Row extends Omit<Figure, "of"> {
  /** The name of the case. */
  name: string;
  title: string;
  spread: Spread;
  /** The same ratio by processor time, which other work on the machine hardly affects. */
  byProcessorTime?: Spread;
}

/** What the rounds say of a figure. */
export function rowOf(name: string, title: string, figure: Figure, series: Series): Row {
  const { subject, base } = figure;
  const of: keyof Sample = figure.of ?? "rate";
  const row = { name, title: of === "p99" ? `p99 of ${title}` : title, subject };
  const own = series[subject]!;
  if (base === undefined) return { ...row, spread: spreadOf(own.map((sample) => sample[of]!)) };
  const others = series[base]!;
  const ratioOf = (what: keyof Sample) =>
    ratioSpread(own.map((sample, round) => sample[what]! / others[round]![what]!));
  const hasTime = own.every(({ efficiency }) => efficiency !== undefined);
  return { ...row, base, spread: ratioOf(of), ...hasTime && { byProcessorTime: ratioOf("efficiency") } };
}

/** The median and the range of at least one figure. */
function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  return { median, low: sorted[0]!, high: sorted.at(-1)! };
}

/** The fewest rounds that make a change clear. */
export const FEWEST = 6;

/** Smaller differences are not clear: two copies of the same code differ so much by where their code lies in memory. */
const LEAST = 0.02;

/**
 * A change is clear if all rounds lean to its side, or all but one in nine: equal code does so in
 * at most 4 of 100 runs (sign test). The test assumes nothing of how noise is distributed, and a
 * single outlier does not decide.
 */
function ratioSpread(ratios: readonly number[]): Spread {
  const spread = spreadOf(ratios);
  const { median } = spread;
  if (ratios.length < FEWEST) return spread;
  const others = ratios.filter((ratio) => (ratio > 1) !== (median > 1)).length;
  const isClear = others <= ratios.length / 9 && Math.abs(median - 1) >= LEAST;
  return { ...spread, change: !isClear ? "~" : median < 1 ? "slower" : "faster" };
}
