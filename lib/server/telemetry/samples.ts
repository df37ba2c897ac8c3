/**
 * The kinds of metrics, and their text in the format 0.0.4 of Prometheus, which every collector of metrics can read. A metric has values by the
 * text of their labels, such as `method="GET",status="200"`, or "" without labels.
 */

/** A metric. Its name is that of the member that holds it. */
export interface Metric {
  type: string;
  help: string;
  /** The lines of the values. Each lacks its beginning, the name of the metric. */
  samples(): string[];
}

/** The text of metrics, which are given by their names. */
export function formatMetrics(metrics: Readonly<Record<string, Metric>>): string {
  const lines = Object.entries(metrics).flatMap(([name, { type, help, samples }]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples().map((sample) => name + sample),
  ]);
  return `${lines.join("\n")}\n`;
}

/** The text of a label whose value may be any text. */
export function label(name: string, value: string): string {
  return `${name}="${value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/**
 * Creates a metric that counts.
 *
 * @param known Labels that are shown before something counts, with 0.
 */
export function createCounter(help: string, ...known: string[]) {
  const counts = new Map(known.map((labels) => [labels, 0]));
  return {
    type: "counter",
    help,
    samples: () => Array.from(counts, formatSample),
    add: (labels: string) => void counts.set(labels, (counts.get(labels) ?? 0) + 1),
  };
}

/**
 * Creates a metric that is measured at each scrape.
 *
 * @param measure Returns the value, the values by their labels, or undefined if there is none.
 */
export function createGauge(help: string, measure: () => number | ReadonlyMap<string, number> | undefined): Metric {
  return {
    type: "gauge",
    help,
    samples() {
      const measured = measure() ?? [];
      return Array.from(typeof measured === "number" ? [["", measured] as const] : measured, formatSample);
    },
  };
}

/** The largest duration of each bucket of a histogram, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates a metric that counts durations in buckets. Labels that are `known` are shown before something counts, with 0. */
export function createHistogram(help: string, ...known: string[]) {
  /** For each text of labels a count for each bound, then a count of longer durations, and then the sum of all durations in seconds. */
  const durations = new Map(known.map((labels) => [labels, createRow()]));
  return {
    type: "histogram",
    help,
    samples: () => Array.from(durations, formatRow).flat(),
    add(labels: string, milliseconds: number) {
      const seconds = milliseconds / 1000;
      let bucket = 0;
      while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
      const row = durations.get(labels) ?? createRow();
      row[bucket]! += 1;
      row[row.length - 1]! += seconds;
      durations.set(labels, row);
    },
  };
}

function createRow(): Float64Array {
  return new Float64Array(BOUNDS.length + 2);
}

function formatRow([labels, row]: readonly [string, Float64Array]): string[] {
  const sum = row.at(-1)!;
  const before = labels && `${labels},`;
  // In the text, a bucket includes the smaller ones.
  let total = 0;
  const buckets = Array.from(row.subarray(0, -1), (count, i) => {
    total += count;
    return `_bucket${formatSample([`${before}le="${BOUNDS[i] ?? "+Inf"}"`, total])}`;
  });
  return [...buckets, `_count${formatSample([labels, total])}`, `_sum${formatSample([labels, sum])}`];
}

function formatSample([labels, value]: readonly [string, number]): string {
  return `${labels && `{${labels}}`} ${value}`;
}
