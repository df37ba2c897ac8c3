/**
 * The kinds of metrics, and their text in the format 0.0.4 of Prometheus, which every collector of
 * metrics can read. A metric has values by the text of their labels, such as
 * `method="GET",status="200"`. For example, a counter `petstore_errors_total` has this text:
 *
 * ```txt
 * # HELP petstore_errors_total Responses that are errors, by the code that their body has.
 * # TYPE petstore_errors_total counter
 * petstore_errors_total{code="pet_not_found"} 3
 * ```
 */

/** The text of the labels of a value that has none. */
export const UNLABELLED = "";

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
    samples: () => Array.from(counts, ([labels, count]) => formatSample(labels, count)),
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
      const measured = measure();
      if (measured === undefined) return [];
      if (typeof measured === "number") return [formatSample(UNLABELLED, measured)];
      return Array.from(measured, ([labels, value]) => formatSample(labels, value));
    },
  };
}

/** The largest duration of each bucket of a histogram, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The durations of one text of labels. */
interface Durations {
  /** How many durations are in each bucket. The last one is of durations beyond all bounds. */
  counts: number[];
  /** The sum of all durations in seconds. */
  sum: number;
}

/**
 * Creates a metric that counts durations in buckets.
 *
 * @param known Labels that are shown before something counts, with 0.
 */
export function createHistogram(help: string, ...known: string[]) {
  const durations = new Map(known.map((labels) => [labels, noDurations()]));
  return {
    type: "histogram",
    help,
    samples: () => Array.from(durations, ([labels, each]) => formatDurations(labels, each)).flat(),
    add(labels: string, milliseconds: number) {
      const seconds = milliseconds / 1000;
      let bucket = 0;
      while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
      const row = durations.get(labels) ?? noDurations();
      row.counts[bucket]!++;
      row.sum += seconds;
      durations.set(labels, row);
    },
  };
}

function noDurations(): Durations {
  return { counts: Array(BOUNDS.length + 1).fill(0), sum: 0 };
}

function formatDurations(labels: string, { counts, sum }: Durations): string[] {
  const before = labels === UNLABELLED ? "" : `${labels},`;
  // In the text, a bucket includes the smaller ones.
  let total = 0;
  const buckets = counts.map((count, i) => {
    total += count;
    return `_bucket${formatSample(`${before}le="${BOUNDS[i] ?? "+Inf"}"`, total)}`;
  });
  return [...buckets, `_count${formatSample(labels, total)}`, `_sum${formatSample(labels, sum)}`];
}

/** The line of a value, without the name of the metric. */
function formatSample(labels: string, value: number): string {
  return labels === UNLABELLED ? ` ${value}` : `{${labels}} ${value}`;
}
