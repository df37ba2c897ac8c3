/** The page of the results and its plot, bench/results.md. bench/README.md explains both. */

import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import type { Row, Spread } from "../row.ts";
import { SECTIONS } from "../sections.ts";
import { DESCRIPTION, drawThroughput, hasBars } from "./plot.ts";
import { digits, table } from "./table.ts";

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
  const sections = SECTIONS.map(({ title, cases }) => {
    const own = rows.filter(({ name }) => cases.some((each) => each.name === name));
    const image = own.some(hasBars) ? `![${DESCRIPTION}](throughput.svg)\n\n` : "";
    return own.length === 0 ? "" : `## ${title}\n\n${image}${formatRows(own)}\n\n`;
  });
  return `# Results of the benchmark

\`deno task bench\` wrote this page from measurements of ${new Date().toISOString().slice(0, 10)}, which took ${
    Math.round(minutes)
  } minutes. The load
of the machine before was ${digits(loadBefore)}. [How to read it](README.md).

${sections.join("")}## Software and machine

${table(["name", "value"], factsOf(fsync))}
`;
}

/** The table of some rows. A column is left out if no row has it. */
export function formatRows(rows: readonly Row[], withChange = false): string {
  const columns = ["case", "what", "figure", "rounds", "by processor time"];
  const marked = ({ median, change }: Spread, unit: string) =>
    digits(median) + unit + (withChange && change ? ` ${change}` : "");
  const lines = rows.map(({ title, subject, base, spread, byProcessorTime }) => [
    title,
    base === undefined ? subject : `${subject} / ${base}`,
    marked(spread, base === undefined ? " a second" : " ×"),
    `${digits(spread.low)} to ${digits(spread.high)}`,
    byProcessorTime ? marked(byProcessorTime, "") : "",
  ]);
  const isFilled = columns.map((_, column) => lines.some((line) => line[column] !== ""));
  const select = (line: readonly string[]) => line.filter((_, column) => isFilled[column]);
  return table(select(columns), lines.map(select));
}

/** The software and the machine of a run. */
function factsOf(fsync: number): [name: string, value: string][] {
  const model = /^model name\s*: (.*)$/m.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? Deno.build.arch;
  const versionOf = (name: keyof typeof config.imports) => config.imports[name].split("@").at(-1)!;
  return [
    ["Petstore", config.version],
    ["Deno", Deno.version.deno],
    ["Node", versionOf("node")],
    ["hono", versionOf("hono")],
    ["@hono/zod-validator", versionOf("@hono/zod-validator")],
    ["zod", versionOf("zod")],
    ["fastify", versionOf("fastify")],
    ["processor", `${model}, ${navigator.hardwareConcurrency} cores`],
    ["kernel", `${Deno.build.os} ${Deno.osRelease()}`],
    ["an fsync", `${fsync.toFixed(2)} ms`],
  ];
}
