/** bench/results.md and its plots. bench/README.md explains them. */

import type { Result } from "../results.ts";
import type { Row } from "../row.ts";
import { writeFormatted } from "./file.ts";
import type { Facts } from "./machine.ts";
import { type Plot, PLOTS } from "./plots.ts";
import { filledColumns } from "./table.ts";

/** The results of all cases, and their conditions. */
export interface Report {
  results: readonly (readonly [name: string, result: Result])[];
  versions: Facts;
  machine: Facts;
}

/** A part of the page: the cases whose names begin with one of the prefixes, and their plot. */
interface Section {
  title: string;
  prefixes: readonly string[];
  plot?: Plot;
}

/** The sections, in the order of the page. A case belongs to the first that matches. */
const SECTIONS: readonly Section[] = [
  { title: "Any address", prefixes: ["reads-"], plot: PLOTS.traffic },
  { title: "What you get by default", prefixes: ["default-"], plot: PLOTS.default },
  { title: "The library on Deno", prefixes: ["library-", "in-process"] },
  { title: "On Node", prefixes: ["node-"], plot: PLOTS.node },
  { title: "While others create", prefixes: ["slow-disk", "get-while-posting"] },
];

/** The rows of results, without those of skipped cases. */
export function rowsOf(results: readonly Result[]): Row[] {
  return results.flatMap(({ outcome }) => "skipped" in outcome ? [] : outcome);
}

/** Writes the plots whose cases have results. */
export async function writePlots(rows: readonly Row[]): Promise<ReadonlySet<Plot>> {
  const drawn = new Set<Plot>();
  for (const plot of Object.values(PLOTS)) {
    const svg = await plot.draw(rows);
    if (svg === undefined) continue;
    await writeFormatted(plot.file, svg);
    drawn.add(plot);
  }
  return drawn;
}

/** Writes the page. */
export async function writePage(report: Report, drawn: ReadonlySet<Plot>): Promise<void> {
  await writeFormatted("results.md", formatPage(report, drawn));
}

function formatPage({ results, versions, machine }: Report, drawn: ReadonlySet<Plot>): string {
  const days = [...new Set(results.map(([, { at }]) => at.slice(0, 10)))].sort();
  const minutes = Math.round(results.reduce((sum, [, { seconds }]) => sum + seconds, 0) / 60);
  const most = Math.round(100 * Math.max(...results.map(([, { disturbance }]) => disturbance)));
  const taken = new Set<string>();
  const sections = SECTIONS.map((section) => {
    const own = results.filter(([name]) =>
      !taken.has(name) && section.prefixes.some((prefix) => name.startsWith(prefix))
    );
    for (const [name] of own) taken.add(name);
    return formatSection(section, own, drawn);
  });
  return `# Results of the benchmark

\`deno task bench\` wrote this page from measurements of ${
    days.join(" and ")
  }, which took ${minutes} minutes. Before each case,
other work used at most ${most} % of the processors' time. [How to read it](README.md).

${sections.join("\n\n")}

## Software and machine

${table(["name", "value"], [...versions, ...machine])}
`;
}

function formatSection({ title, plot }: Section, results: Report["results"], drawn: ReadonlySet<Plot>): string {
  const rows = rowsOf(results.map(([, result]) => result));
  const [head, ...lines] = filledColumns(rows);
  const skipped = results.flatMap(([name, { outcome }]) =>
    "skipped" in outcome ? [`The case \`${name}\` was skipped: ${outcome.skipped}.`] : []
  );
  return [
    `## ${title}`,
    ...plot && drawn.has(plot) ? [`![${plot.description}](${plot.file})`] : [],
    ...rows.length > 0 ? [table(head, lines)] : [],
    ...skipped,
  ].join("\n\n");
}

export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...lines.map(line)].join("\n");
}
