/** Samples of metrics, and their text in the format 0.0.4 of Prometheus, which every collector of metrics can read. */

/** The values of samples by their names with the labels, such as `petstore_errors_total{code="pet_not_found"}`. */
export type Samples = Record<string, number>;

export const METRICS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

type Family = readonly [type: "counter" | "gauge" | "histogram", help: string];

/** The type and the meaning of each family of samples, in the order of the text. */
const FAMILIES: Record<string, Family> = {
  petstore_requests_total: [
    "counter",
    "Answered requests. The route is empty if none matched, or none was looked for.",
  ],
  petstore_errors_total: ["counter", "Responses that are errors, by the code that their body has."],
  petstore_request_duration_seconds: ["histogram", "Time until the response was ready."],
  petstore_deprecated_requests_total: ["counter", "Requests to the deprecated operation by caller."],
  petstore_creates_waiting: ["gauge", "Creates that wait for their commit."],
  petstore_commit_duration_seconds: ["histogram", "Time of a commit."],
  petstore_postgres_pool_size: [
    "gauge",
    "Connections to PostgreSQL that this server may have, but for those of API keys.",
  ],
  petstore_postgres_statements: ["gauge", "Statements that run on these connections, or wait for one."],
  petstore_store_errors_total: ["counter", "Requests that failed because the store was unavailable."],
  petstore_build_info: ["gauge", "Always 1. The labels are the release and the runtime."],
  petstore_database_bytes: ["gauge", "Size of the SQLite file."],
  petstore_database_log_bytes: ["gauge", "Size of the write-ahead log beside the SQLite file."],
  process_resident_memory_bytes: ["gauge", "Memory of the process."],
  process_start_time_seconds: ["gauge", "When the process started, since 1970."],
};

export interface Histogram {
  add(value: number): void;
  /** Reads the counts as the samples of a family with this name, each with these labels. */
  read(name: string, pairs?: Record<string, string>): Samples;
}

/**
 * Counts values in buckets.
 *
 * @param bounds The largest value of each bucket, ascending.
 */
export function createHistogram(bounds: readonly number[]): Histogram {
  // There is a count for each bound, and a last one for larger values.
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    add(value) {
      let i = 0;
      while (i < bounds.length && value > bounds[i]!) i++;
      counts[i]! += 1;
      sum += value;
    },
    read(name, pairs = {}) {
      const samples: Samples = {};
      // In the text, a bucket includes the smaller ones.
      let total = 0;
      for (const [i, count] of counts.entries()) {
        total += count;
        samples[`${name}_bucket${labels({ ...pairs, le: String(bounds[i] ?? "+Inf") })}`] = total;
      }
      samples[`${name}_count${labels(pairs)}`] = total;
      samples[`${name}_sum${labels(pairs)}`] = sum;
      return samples;
    },
  };
}

/** Formats the labels of a sample. */
export function labels(pairs: Record<string, string>): string {
  const texts = Object.entries(pairs).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

export function formatSamples(samples: Samples): string {
  const byFamily = Map.groupBy(Object.entries(samples), ([name]) => FAMILY.exec(name)![1]!);
  const lines = Object.entries(FAMILIES).flatMap(([family, [type, help]]) => {
    const values = byFamily.get(family) ?? [];
    return [`# HELP ${family} ${help}`, `# TYPE ${family} ${type}`, ...values.map((sample) => sample.join(" "))];
  });
  return `${lines.join("\n")}\n`;
}

/** Captures the family of a sample: its name without the labels and, in a histogram, without one of three endings. */
const FAMILY = /^(\w+?)(?:_bucket|_count|_sum)?(?:\{|$)/;
