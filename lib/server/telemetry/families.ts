/** Families of metrics, and their text in the format 0.0.4 of Prometheus, which every collector of metrics can read. */

export const METRICS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

/** The samples of one meaning. */
export interface Family {
  type: "counter" | "gauge" | "histogram";
  help: string;
  /** Reads the present values. */
  read(): Sample[];
}

/** A value, and what follows the name of its family, such as `{code="pet_not_found"}`, or "". */
export type Sample = readonly [suffix: string, value: number];

/** The text of families, which are given by their names. */
export function formatFamilies(families: Readonly<Record<string, Family>>): string {
  const lines = Object.entries(families).flatMap(([name, { type, help, read }]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...read().map(([suffix, value]) => `${name}${suffix} ${value}`),
  ]);
  return `${lines.join("\n")}\n`;
}

/** The labels of a sample, as the text has them. */
export function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

type Labels = Readonly<Record<string, string>>;

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Counts events. There is a count for each combination of the values of its labels. */
export interface Counter extends Family {
  /** @param values The values of the labels, in the order of their names. */
  add(...values: readonly string[]): void;
}

/** @param names The names of the labels. */
export function createCounter(help: string, ...names: readonly string[]): Counter {
  const series = new Series(names, () => ({ count: 0 }));
  return {
    type: "counter",
    help,
    add(...values) {
      series.find(values).count++;
    },
    read: () => series.read().map(([labels, { count }]) => [formatLabels(labels), count]),
  };
}

/** Counts durations in buckets. There is a histogram for each combination of the values of its labels. */
export interface Histogram extends Family {
  add(milliseconds: number, ...values: readonly string[]): void;
}

/** The largest value of each bucket, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** @param names The names of the labels. */
export function createHistogram(help: string, ...names: readonly string[]): Histogram {
  // There is a bucket for each bound, and a last one for longer durations.
  const series = new Series(names, () => ({ buckets: new Float64Array(BOUNDS.length + 1), sum: 0 }));
  return {
    type: "histogram",
    help,
    add(milliseconds, ...values) {
      const seconds = milliseconds / 1000;
      const counts = series.find(values);
      let bucket = 0;
      while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
      counts.buckets[bucket]! += 1;
      counts.sum += seconds;
    },
    read: () =>
      series.read().flatMap(([labels, { buckets, sum }]) => {
        // In the text, a bucket includes the smaller ones.
        let total = 0;
        const samples = Array.from(buckets, (count, i): Sample => {
          total += count;
          return [`_bucket${formatLabels({ ...labels, le: String(BOUNDS[i] ?? "+Inf") })}`, total];
        });
        const suffix = formatLabels(labels);
        return [...samples, [`_count${suffix}`, total], [`_sum${suffix}`, sum]];
      }),
  };
}

/** What is counted for each combination of the values of some labels. Without labels, there is one from the beginning. */
class Series<Counts> {
  readonly #names: readonly string[];
  readonly #create: () => Counts;
  /** The counts by the values of their labels, as one text. At most one of the values may have a line end, so the text is unambiguous. */
  readonly #members = new Map<string, { values: readonly string[]; counts: Counts }>();

  constructor(names: readonly string[], create: () => Counts) {
    this.#names = names;
    this.#create = create;
    if (names.length === 0) this.find([]);
  }

  find(values: readonly string[]): Counts {
    const key = values.join("\n");
    let member = this.#members.get(key);
    if (!member) {
      member = { values, counts: this.#create() };
      this.#members.set(key, member);
    }
    return member.counts;
  }

  read(): [Labels, Counts][] {
    return Array.from(this.#members.values(), ({ values, counts }) => {
      const labels = Object.fromEntries(this.#names.map((name, i) => [name, values[i]!]));
      return [labels, counts];
    });
  }
}
