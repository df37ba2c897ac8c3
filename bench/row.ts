/** What the benchmark finds out: one row of the table for each question. */

/** What a page costs in a catalogue of a size. */
export interface CurvePoint {
  pets: number;
  microseconds: number;
}

/** A number that several rounds agree on, and how far they do not. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/** A floor that a figure is held against. Some floors are ceilings. */
export interface Floor {
  bound: "at least" | "at most";
  value: number;
}

/** A figure, with what it is of. */
export interface Row {
  /** The name that `--only` takes. */
  name: string;
  /** What is asked, in words. */
  title: string;
  /** Who is measured. */
  subject: string;
  /** What it is divided by; absent where the figure is no ratio. */
  base?: string;
  unit: "×" | "ms" | "bytes";
  figure: Spread;
  /** The same by the server's processor time: much steadier on a machine that has other work. */
  byProcessorTime?: Spread;
  /** Absent where the figure is there for context only. */
  floor?: Floor;
  /** What a page costs at each size of the catalogue. */
  curve?: CurvePoint[];
  /** What is to be known about this figure, such as that a core was not busy. */
  notes: string[];
}

/** The median and the range of figures, of which there is at least one. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? NaN;
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
  return { median, low: at(0), high: at(sorted.length - 1) };
}

/** The spread of the ratios of two series that were measured in the same rounds. */
export function ratioOf(subject: readonly number[], base: readonly number[]): Spread {
  return spreadOf(subject.map((figure, round) => figure / (base[round] ?? NaN)));
}

/** Whether a row meets its floor, or `undefined` if it has none. */
export function isMet({ figure, floor }: Row): boolean | undefined {
  if (floor === undefined) return undefined;
  return floor.bound === "at least" ? figure.median >= floor.value : figure.median <= floor.value;
}
