import assert from "node:assert/strict";

/** A line of Prometheus's text format 0.0.4: a name, its labels, and a value. */
const SAMPLE =
  /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (-?[\d.]+(?:e[+-]?\d+)?|[+-]Inf|NaN)$/;

const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"/g;

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character) => character === "n" ? "\n" : character);
}

/**
 * The values of all samples, by name and the values of their labels. A histogram has its count by its name, and each bucket by its
 * name and bound. Each sample must follow the line with the type of its metric.
 */
export function valuesOf(text: string): Map<string, number> {
  assert.ok(text.endsWith("\n"), "The last line must end");
  const values = new Map<string, number>();
  let type = "", metric = "";
  for (const line of text.split("\n").slice(0, -1)) {
    if (line.startsWith("# HELP ")) continue;
    const typed = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
    if (typed) [, metric = "", type = ""] = typed;
    else {
      const [, name = "", labelled = "", value] = SAMPLE.exec(line) ?? assert.fail(`No sample: ${line}`);
      const suffix = name.slice(metric.length);
      const allowed = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      assert.ok(name.startsWith(metric) && allowed.includes(suffix), `${line} is no sample of the ${type} ${metric}`);
      const { le, ...labels } = Object.fromEntries(
        Array.from(labelled.matchAll(LABEL), ([, label, text]) => [label!, unescaped(text!)]),
      );
      const of = Object.keys(labels).sort().map((label) => labels[label]).join(" ");
      if (suffix === "_bucket") values.set(`${metric} <= ${le}`, Number(value));
      else if (suffix !== "_sum") values.set(`${metric} ${of}`.trim(), Number(value));
    }
  }
  return values;
}
