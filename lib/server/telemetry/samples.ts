/** Samples of metrics, and their text: the text format 0.0.4 of Prometheus, which every reader knows. */

/** The samples of each metric family. The name of a sample includes its labels. */
export type Samples = Record<string, Record<string, number>>;

export const METRICS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

/** The type and the meaning of each family, in the order of the text. */
const FAMILIES: Record<string, [type: "counter" | "gauge" | "histogram", help: string]> = {
  petstore_requests: [
    "counter",
    "Answered requests. The route is empty if a request was refused before, or none matched.",
  ],
  petstore_request_duration_seconds: ["histogram", "Time until the response was ready."],
  petstore_deprecated_requests: ["counter", "Requests to the deprecated operation by caller."],
  petstore_creates_waiting: ["gauge", "Creates that wait for their commit."],
  petstore_commit_creates: ["histogram", "Creates in a commit, of those that this worker has sent."],
  petstore_commit_duration_seconds: ["histogram", "Time of a commit."],
  petstore_postgres_pool_size: [
    "gauge",
    "Connections to PostgreSQL that this server may have, but for those of API keys.",
  ],
  petstore_postgres_statements: ["gauge", "Statements that run on these connections, or wait for one."],
  petstore_store_errors: ["counter", "Requests that failed because the store was unavailable."],
  petstore_build_info: ["gauge", "Always 1. The labels are the release and the runtime."],
  petstore_database_bytes: ["gauge", "Size of the SQLite file."],
  petstore_database_log_bytes: ["gauge", "Size of the write-ahead log beside the SQLite file."],
  process_resident_memory_bytes: ["gauge", "Memory of the process, of all its workers together."],
  process_start_time_seconds: ["gauge", "When the process started, since 1970."],
};

export type Histogram = ReturnType<typeof createHistogram>;

/**
 * Counts values in buckets.
 *
 * @param bounds The largest value of each bucket, ascending.
 */
export function createHistogram(bounds: readonly number[]) {
  // One for each bound, and one for larger values.
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    add(value: number): void {
      let i = 0;
      while (i < bounds.length && value > bounds[i]!) i++;
      counts[i]! += 1;
      sum += value;
    },
    read(name: string, pairs: Record<string, string> = {}): Record<string, number> {
      const samples: Record<string, number> = {};
      let count = 0;
      for (const [i, inBucket] of counts.entries()) {
        count += inBucket;
        const bound = bounds[i];
        const le = bound === undefined ? "+Inf" : Number.isInteger(bound) ? `${bound}.0` : String(bound);
        samples[`${name}_bucket${labels({ ...pairs, le })}`] = count;
      }
      samples[`${name}_count${labels(pairs)}`] = count;
      samples[`${name}_sum${labels(pairs)}`] = sum;
      return samples;
    },
  };
}

/** Formats the labels of a sample. */
export function labels(pairs: Record<string, string>): string {
  const texts = Object.entries(pairs).map(([name, value]) => `${name}="${escape(value)}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

function escape(value: string): string {
  return value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** The samples that stay true when their isolate has ended. */
export function withoutGauges(samples: Samples): Samples {
  return Object.fromEntries(Object.entries(samples).filter(([family]) => FAMILIES[family]?.[0] !== "gauge"));
}

/** Adds the counts of several isolates. */
export function addSamples(all: readonly Samples[]): Samples {
  const sum: Samples = {};
  for (const samples of all) {
    for (const [family, values] of Object.entries(samples)) {
      const total = sum[family] ??= {};
      for (const [name, value] of Object.entries(values)) total[name] = (total[name] ?? 0) + value;
    }
  }
  return sum;
}

export function formatSamples(samples: Samples): string {
  const lines = Object.entries(FAMILIES).flatMap(([family, [type, help]]) => {
    // In this format, the name of a counter is that of its samples.
    const name = type === "counter" ? `${family}_total` : family;
    const values = Object.entries(samples[family] ?? {}).map(([sample, value]) => `${sample} ${value}`);
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...values];
  });
  return `${lines.join("\n")}\n`;
}
