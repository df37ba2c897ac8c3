/** The results: a row of the table for each question. */

/** The median of several rounds, and their range. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

export interface Row {
  /** The name for `--only`. */
  name: string;
  title: string;
  /** The measured contender. */
  subject: string;
  /** The divisor of a ratio. */
  base?: string;
  unit: "×" | "/s";
  figure: Spread;
  /** The same ratio by the server's processor time, which other work on the machine hardly affects. */
  byProcessorTime?: Spread;
}

/** The median and the range of at least one figure. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? NaN;
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
  return { median, low: at(0), high: at(sorted.length - 1) };
}

/** The spread of the ratios of two series from the same rounds. */
export function ratioOf(subject: readonly number[], base: readonly number[]): Spread {
  return spreadOf(subject.map((figure, round) => figure / (base[round] ?? NaN)));
}
