/** The values of all samples in Prometheus's text format, by their names and the values of their labels, in the order of the text. */
export function samplesOf(text: string): Map<string, number> {
  const lines = text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm);
  return new Map(Array.from(lines, ([, name = "", labels = "", value]) => {
    // JSON has the same escape sequences.
    const values = Array.from(labels.matchAll(/"(?:[^"\\]|\\.)*"/g), ([label]) => JSON.parse(label));
    return [[name, ...values].join(" ").trim(), Number(value)];
  }));
}
