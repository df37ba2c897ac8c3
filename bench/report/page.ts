/** docs/benchmarks.md and its plots. */

import { fileURLToPath } from "node:url";
import { isMet, type Row } from "../row.ts";
import type { Facts } from "./machine.ts";
import { plotScale, plotThroughput } from "./plots.ts";
import { cells, COLUMNS } from "./table.ts";
import { EXPLANATION } from "./words.ts";

const DOCS = new URL("../../docs/", import.meta.url);

/** The results of a complete run, and its conditions. */
export interface Report {
  rows: readonly Row[];
  versions: Facts;
  machine: Facts;
  date: Date;
  minutes: number;
  /** The share of the processors' time, 0 to 1, that other work used at the start. */
  disturbance: number;
}

/** Writes all three files, formatted. */
export async function writePage(report: Report): Promise<void> {
  await Deno.mkdir(DOCS, { recursive: true });
  await Deno.writeTextFile(new URL("throughput.svg", DOCS), plotThroughput(report.rows));
  await Deno.writeTextFile(new URL("scale.svg", DOCS), plotScale(report.rows));
  const page = new URL("benchmarks.md", DOCS);
  await Deno.writeTextFile(page, formatPage(report));
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", fileURLToPath(DOCS)] }).output();
}

function formatPage({ rows, versions, machine, date, minutes, disturbance }: Report): string {
  const judged = rows.map(isMet).filter((met) => met !== undefined);
  const met = judged.filter((met) => met).length;
  const day = date.toISOString().slice(0, 10);
  const others = `${Math.round(disturbance * 100)} % of the processors' time`;
  return `# Benchmarks

\`deno task bench\` wrote this page on ${day}, in ${
    Math.round(minutes)
  } minutes. Other work used ${others} at the start.
${met} of ${judged.length} floors are met.

![Throughput of Petstore and other frameworks, relative to a bare server](throughput.svg)

![Cost of a page against the size of the catalogue](scale.svg)

## Figures

${table(COLUMNS.map((name) => name || "met?"), rows.map(cells))}

## Software and machine

${table(["name", "value"], [...versions, ...machine])}

${EXPLANATION}`;
}

export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...lines.map(line)].join("\n");
}
