/** docs/benchmarks_postgres.md. */

import { fileURLToPath } from "node:url";
import type { Facts } from "../report/machine.ts";
import { table } from "../report/page.ts";
import { cells, COLUMNS, formatColumns } from "../report/table.ts";
import type { Row } from "../row.ts";
import type { Plan } from "./plans.ts";

const PAGE = fileURLToPath(new URL("../../docs/benchmarks_postgres.md", import.meta.url));

/** The results of a complete run, and its conditions. */
interface PostgresReport {
  rows: readonly Row[];
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

/** Writes the page, formatted. */
export async function writePostgresPage(report: PostgresReport): Promise<void> {
  const { rows, plans, facts, date, minutes, disturbance } = report;
  const others = `${Math.round(disturbance * 100)} % of the processors' time`;
  const day = date.toISOString().slice(0, 10);
  await Deno.writeTextFile(
    PAGE,
    `# Benchmarks on PostgreSQL

\`deno task bench:postgres\` wrote this page on ${day}, in ${
      Math.round(minutes)
    } minutes. Other work used ${others} at the
start.

## Servers on one database

${table(COLUMNS.map((name) => name || "met?"), rows.map(cells))}

## PostgreSQL's work for a read

The plans are generic, as they are on a connection after a few executions.

${table(PLAN_COLUMNS, plans.map(planCells))}

## Software and machine

${table(["name", "value"], facts)}

${EXPLANATION}`,
  );
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", PAGE] }).output();
}

const EXPLANATION = `## How to read it

- pgbench runs the store's own statements, prepared and with text parameters, as the drivers send them. Reads have ten
  clients, as many as a server has connections. Creates have two clients, each with batches as large as those of one server.
  pgbench speaks no HTTP, checks no key, and neither reads nor writes JSON.
- The figure is by the clock. The column "by processor time" is by PostgreSQL's own: its responses for a second of its
  processors' time. The clients, the servers, wrk and PostgreSQL share the cores of this machine, and HTTP takes most of them.
  So the figure shows the result on one small machine, and the column shows the result of a PostgreSQL on a machine of its
  own.
- Each server gets a load of 64 connections, so more servers have more clients.
- A million pets go in and out with \`petstore import\` and \`export\`, start included, and with \`COPY\` by \`psql\`, into the same table with
  its indexes and from it. Their processor time is that of the programs, without PostgreSQL's.
- Every commit is written to disk before it is acknowledged (\`synchronous_commit = on\`, \`fsync = on\`).

## The floor that is not met

0.7 of pgbench's batches would be more creates a second than a server with the memory store reaches on this machine, where a
create is only a request over HTTP: see its row. The servers and wrk use the cores that pgbench leaves to PostgreSQL. Only
PostgreSQL's processor time for a pet can be compared with the floor. It is higher than with pgbench if batches are smaller,
as with more servers, and if others share the caches. A database on a machine of its own would show the rest. Two concurrent
statements for each server gave smaller batches, and less by that measure.

## Limits of these figures

- They do not include a network between servers and database. Each batch is one round trip, and the next one starts when it
  returns. On a slower network batches are larger, up to 512.
- They do not include more cores. There, servers would not take each other's time.
- They do not include a table that exceeds the memory.

## How to repeat it

On Debian: \`apt-get install postgresql wrk\`, then \`deno task bench:postgres\`.
`;
