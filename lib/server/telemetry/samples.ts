/** Samples of metrics, and their text: the text format 0.0.4 of Prometheus, which every reader knows. */

/** The values of samples by their names, which include the labels. */
export type Samples = Record<string, number>;

export const METRICS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

type Family = readonly [type: "counter" | "gauge" | "histogram", help: string];

/** The type and the meaning of each family, in the order of the text. */
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

/** The name of a sample's family. A histogram has samples with three endings. */
function familyOf(sample: string): string {
  const [name = ""] = sample.split("{", 1);
  return name in FAMILIES ? name : name.replace(/_(bucket|count|sum)$/, "");
}

export type Histogram = ReturnType<typeof createHistogram>;

/**
 * Counts values in buckets.
 *
 * @param bounds The largest value of each bucket, ascending.
 */
export function createHistogram(bounds: readonly number[]) {
  // There is a count for each bound, and one for larger values.
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    add(value: number): void {
      let i = 0;
      while (i < bounds.length && value > bounds[i]!) i++;
      counts[i]! += 1;
      sum += value;
    },
    read(name: string, pairs: Record<string, string> = {}): Samples {
      const samples: Samples = {};
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

export function formatSamples(samples: Samples): string {
  const byFamily = Map.groupBy(Object.entries(samples), ([name]) => familyOf(name));
  const lines = Object.entries(FAMILIES).flatMap(([family, [type, help]]) => {
    const values = byFamily.get(family) ?? [];
    return [`# HELP ${family} ${help}`, `# TYPE ${family} ${type}`, ...values.map((sample) => sample.join(" "))];
  });
  return `${lines.join("\n")}\n`;
}
