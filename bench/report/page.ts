/** The page of the results and its plot, bench/results.md. bench/README.md explains both. */

import { fileURLToPath } from "node:url";
import type { Row } from "../row.ts";
import type { Facts } from "./machine.ts";
import { DESCRIPTION, drawThroughput } from "./plot.ts";
import { digits, table } from "./table.ts";

/** The rows of all cases, and their conditions. */
export interface Report {
  rows: readonly Row[];
  minutes: number;
  /** The largest share of the processors' time, 0 to 1, that other work used before a case. */
  disturbance: number;
  facts: Facts;
}

/** A part of the page: the cases whose names begin with a prefix, below the plot if it shows them. */
interface Section {
  title: string;
  prefix: string;
  hasPlot?: boolean;
}

/** The sections, in the order of the page. */
const SECTIONS: readonly Section[] = [
  { title: "Any address", prefix: "reads-" },
  { title: "What you get by default", prefix: "default-", hasPlot: true },
  { title: "The library on Deno", prefix: "library-" },
  { title: "On Node", prefix: "node-" },
  { title: "While others create", prefix: "slow-disk" },
];

/** Writes the page and its plot, formatted. */
export async function writePage(report: Report): Promise<void> {
  await write("results.md", formatPage(report));
  await write("throughput.svg", await drawThroughput(report.rows));
}

async function write(name: string, text: string): Promise<void> {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  await Deno.writeTextFile(path, text);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", path] }).output();
}

export function formatPage({ rows, minutes, disturbance, facts }: Report): string {
  const sections = SECTIONS.map(({ title, prefix, hasPlot }) => {
    const own = rows.filter(({ name }) => name.startsWith(prefix));
    const lines = own.map(cells);
    const isFilled = COLUMNS.map((_, column) => lines.some((line) => line[column] !== ""));
    const select = (line: readonly string[]) => line.filter((_, column) => isFilled[column]);
    const image = hasPlot ? `![${DESCRIPTION}](throughput.svg)\n\n` : "";
    return own.length === 0 ? "" : `## ${title}\n\n${image}${table(select(COLUMNS), lines.map(select))}\n\n`;
  });
  return `# Results of the benchmark

\`deno task bench\` wrote this page from measurements of ${new Date().toISOString().slice(0, 10)}, which took ${
    Math.round(minutes)
  } minutes. Before each case,
other work used at most ${Math.round(100 * disturbance)} % of the processors' time. [How to read it](README.md).

${sections.join("")}## Software and machine

${table(["name", "value"], facts)}
`;
}

const COLUMNS = ["case", "what", "figure", "rounds", "by processor time"];

function cells({ title, subject, base, figure, unit, byProcessorTime }: Row): string[] {
  return [
    title,
    base === undefined ? subject : `${subject} / ${base}`,
    digits(figure.median) + (unit === "/s" ? " a second" : ` ${unit}`),
    `${digits(figure.low)} to ${digits(figure.high)}`,
    byProcessorTime ? digits(byProcessorTime.median) : "",
  ];
}
