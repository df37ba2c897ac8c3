import parse from "parse-prometheus-text-format";

type Texts = Record<string, string>;
type Parsed = { name: string; metrics: { labels?: Texts; value?: string; count?: string; buckets?: Texts }[] };

/** The values of all samples, by name and labels, read by other people's parser. */
export function valuesOf(text: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const { name, metrics } of parse(text) as Parsed[]) {
    for (const { labels = {}, value, count, buckets = {} } of metrics) {
      const of = Object.keys(labels).sort().map((name) => labels[name]).join(" ");
      values.set(`${name} ${of}`.trim(), Number(value ?? count));
      for (const [le, below] of Object.entries(buckets)) values.set(`${name} <= ${le}`, Number(below));
    }
  }
  return values;
}
