/** Samples of metrics, and their text in the format 0.0.4 of Prometheus, which every collector of metrics can read. */

export const METRICS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

/** The samples of one meaning. The values have the text of their labels, such as `method="GET",status="200"`, or "" without labels. */
export type Family = readonly [
  type: "counter" | "gauge" | "histogram",
  help: string,
  values: ReadonlyMap<string, number | Histogram>,
];

/** The text of families, which are given by their names. */
export function formatFamilies(families: Readonly<Record<string, Family>>): string {
  const lines = Object.entries(families).flatMap(([name, [type, help, values]]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...Array.from(
      values,
      ([labels, value]) => typeof value === "number" ? formatSample(name, labels, value) : value.format(name, labels),
    ),
  ]);
  return `${lines.flat().join("\n")}\n`;
}

function formatSample(name: string, labels: string, value: number): string {
  return labels === "" ? `${name} ${value}` : `${name}{${labels}} ${value}`;
}

/** The text of a label whose value may be any text. */
export function label(name: string, value: string): string {
  return `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

/** The largest duration of each bucket of a histogram, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts durations in buckets. */
export class Histogram {
  /** There is a count for each bound, and a last one for longer durations. */
  readonly #counts = new Float64Array(BOUNDS.length + 1);
  #sum = 0;

  add(milliseconds: number): void {
    const seconds = milliseconds / 1000;
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
    this.#counts[bucket]! += 1;
    this.#sum += seconds;
  }

  /** The lines of a family with this name, all with these labels. */
  format(name: string, labels: string): string[] {
    const before = labels === "" ? "" : `${labels},`;
    // In the text, a bucket includes the smaller ones.
    let total = 0;
    const lines = Array.from(this.#counts, (count, i) => {
      total += count;
      return formatSample(`${name}_bucket`, `${before}le="${BOUNDS[i] ?? "+Inf"}"`, total);
    });
    return [...lines, formatSample(`${name}_count`, labels, total), formatSample(`${name}_sum`, labels, this.#sum)];
  }
}
