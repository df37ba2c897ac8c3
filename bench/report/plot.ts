/** The plot of README.md and of the results, bench/throughput.svg. */

import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import type { Row } from "../row.ts";
import spec from "./throughput.json" with { type: "json" };

/** The names of cases, and what the plot calls them. */
const GROUPS: Readonly<Record<string, string>> = {
  "default-get": "GET one",
  "default-list": "list of 20",
  "default-create": "POST",
};

/** What the plot shows, for readers who do not see it. */
export const DESCRIPTION: string = [spec.title.text, ...spec.title.subtitle].join(". ").replace("?.", "?");

/** Whether the plot shows a row. */
export function hasBars({ name, base }: Row): boolean {
  return name in GROUPS && base === undefined;
}

/** Draws a bar with the median of each contender's rounds, and a line from the lowest to the highest round. */
export async function drawThroughput(rows: readonly Row[]): Promise<string> {
  const values = rows.filter(hasBars).map(({ name, subject, spread: { low, median, high } }) => {
    return { group: GROUPS[name], contender: subject, low: low / 1000, median: median / 1000, high: high / 1000 };
  });
  const { spec: drawn } = compile({ ...spec, data: { values } } as TopLevelSpec);
  return await new View(parse(drawn), { renderer: "none" }).toSVG() + "\n";
}
