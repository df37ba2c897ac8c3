/** The page of the results, bench/results.md, its plot, and the tables of a run. bench/README.md explains them. */

import { fileURLToPath } from "node:url";
import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import config from "../../deno.json" with { type: "json" };
import type { Section } from "../rounds.ts";
import type { Row, Spread } from "../row.ts";
import { SECTIONS } from "../sections.ts";
import spec from "./throughput.json" with { type: "json" };

/** What is the same for all rows of a run. */
export interface Conditions {
  minutes: number;
  /** The processes that wanted a processor before the run, on the average of a minute. */
  loadBefore: number;
  /** Milliseconds. The cost of durable creates depends on it. */
  fsync: number;
}

/** Writes the page and its plot, formatted. */
export async function writePage(rows: readonly Row[], conditions: Conditions): Promise<void> {
  await write("results.md", formatPage(rows, conditions));
  await write("throughput.svg", await drawThroughput(rows));
}

async function write(name: string, text: string): Promise<void> {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  await Deno.writeTextFile(path, text);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", path] }).output();
}

export function formatPage(rows: readonly Row[], { minutes, loadBefore, fsync }: Conditions): string {
  const { text, subtitle } = spec.title;
  return `# Results of the benchmark

\`deno task bench\` wrote this page from measurements of ${new Date().toISOString().slice(0, 10)}, which took ${
    Math.round(minutes)
  } minutes. The load
of the machine before was ${digits(loadBefore)}. [How to read it](README.md).

![${text} ${subtitle.join(". ")}](throughput.svg)

${formatSections(SECTIONS, rows)}## Software and machine

${table(["name", "value"], factsOf(fsync))}
`;
}

/** The tables of the sections that have rows. */
export function formatSections(sections: readonly Section[], rows: readonly Row[]): string {
  return sections.map(({ title, cases }) => {
    const own = rows.filter(({ name }) => cases.some((each) => each.name === name));
    return own.length === 0 ? "" : `## ${title}\n\n${formatRows(own)}\n\n`;
  }).join("");
}

function formatRows(rows: readonly Row[]): string {
  const lines = rows.map(({ title, subject, base, spread, byProcessorTime }) => [
    title,
    base === undefined ? subject : `${subject} / ${base}`,
    medianOf(spread, base === undefined ? " a second" : " ×"),
    `${digits(spread.low)} to ${digits(spread.high)}`,
    byProcessorTime ? medianOf(byProcessorTime) : "",
  ]);
  return table(["case", "what", "figure", "rounds", "by processor time"], lines);
}

function medianOf({ median, change }: Spread, unit = ""): string {
  return `${digits(median)}${unit} ${change ?? ""}`.trimEnd();
}

/** A table of Markdown whose columns are aligned. */
export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...lines.map((line) => line[column]!.length)));
  const rule = widths.map((width) => "-".repeat(width));
  return [head, rule, ...lines]
    .map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`).join("\n");
}

/**
 * A number with two significant digits, because the rounds differ by more than the third. A number
 * below ten has two decimals.
 */
export function digits(value: number): string {
  return Math.abs(value) >= 10 ? Number(value.toPrecision(2)).toLocaleString("en") : value.toFixed(2);
}

/** The software and the machine of a run. */
function factsOf(fsync: number): [name: string, value: string][] {
  const model = /^model name\s*: (.*)$/m.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? Deno.build.arch;
  const packages = ["node", "hono", "@hono/zod-validator", "zod", "fastify"] as const;
  return [
    ["Petstore", config.version],
    ["Deno", Deno.version.deno],
    ...packages.map((name): [string, string] => [name, config.imports[name].split("@").at(-1)!]),
    ["processor", `${model}, ${navigator.hardwareConcurrency} cores`],
    ["kernel", `${Deno.build.os} ${Deno.osRelease()}`],
    ["an fsync", `${fsync.toFixed(2)} ms`],
  ];
}

/** The names of the cases in the plot, and what it calls them. */
const GROUPS: Readonly<Record<string, string>> = {
  "default-get": "GET one",
  "default-list": "list of 20",
  "default-create": "POST",
};

/** Draws a bar with the median of each contender's rounds, and a line from the lowest to the highest round. */
async function drawThroughput(rows: readonly Row[]): Promise<string> {
  const shown = rows.filter(({ name, base }) => name in GROUPS && base === undefined);
  const values = shown.map(({ name, subject, spread: { low, median, high } }) => {
    return { group: GROUPS[name], contender: subject, low: low / 1000, median: median / 1000, high: high / 1000 };
  });
  const { spec: drawn } = compile({ ...spec, data: { values } } as TopLevelSpec);
  return await new View(parse(drawn), { renderer: "none" }).toSVG() + "\n";
}
