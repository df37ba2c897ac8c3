/** bench/postgres.md. bench/README.md explains it. */

import { writeFormatted } from "../report/file.ts";
import type { Facts } from "../report/machine.ts";
import { table } from "../report/page.ts";
import { cells, COLUMNS, formatColumns } from "../report/table.ts";
import type { Row } from "../row.ts";
import type { Plan } from "./plans.ts";

/** The results of a complete run, and its conditions. */
interface PostgresReport {
  rows: readonly Row[];
  /** With a network between servers and PostgreSQL. */
  network: readonly Row[];
  plans: readonly Plan[];
  facts: Facts;
  date: Date;
  minutes: number;
  /** The share of the processors' time, 0 to 1, that other work used at the start. */
  disturbance: number;
}

const PLAN_COLUMNS = ["read", "index", "pages of 8 KiB", "ms"];

function planCells({ title, index, buffers, milliseconds }: Plan): string[] {
  return [title, index, String(buffers), milliseconds.toFixed(3)];
}

export function formatPlans(plans: readonly Plan[]): string {
  return formatColumns([PLAN_COLUMNS, ...plans.map(planCells)]);
}

function tableOf(rows: readonly Row[]): string {
  return table(COLUMNS.map((name) => name || "met?"), rows.map(cells));
}

/** Writes the page. */
export async function writePostgresPage(report: PostgresReport): Promise<void> {
  const { rows, network, plans, facts, date, minutes, disturbance } = report;
  const others = `${Math.round(disturbance * 100)} % of the processors' time`;
  const day = date.toISOString().slice(0, 10);
  await writeFormatted(
    "postgres.md",
    `# Results of the benchmark on PostgreSQL

\`deno task bench postgres\` wrote this page on ${day}, in ${
      Math.round(minutes)
    } minutes. Other work used ${others} at the
start. [How to read it](README.md#servers-on-one-postgresql).

## Servers on one database

${tableOf(rows)}

## With a network in between

${tableOf(network)}

## PostgreSQL's work for a read

The plans are generic, as they are on a connection after a few executions.

${table(PLAN_COLUMNS, plans.map(planCells))}

## Software and machine

${table(["name", "value"], facts)}
`,
  );
}
