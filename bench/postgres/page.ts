/** docs/benchmarks_postgres.md. */

import { fileURLToPath } from "node:url";
import type { Facts } from "../report/machine.ts";
import { table } from "../report/page.ts";
import { cells, COLUMNS, formatColumns } from "../report/table.ts";
import type { Row } from "../row.ts";
import type { Plan } from "./plans.ts";

const PAGE = fileURLToPath(new URL("../../docs/benchmarks_postgres.md", import.meta.url));

/** What a whole run found out, and under which conditions. */
interface PostgresReport {
  rows: readonly Row[];
  plans: readonly Plan[];
  facts: Facts;
  date: Date;
  minutes: number;
  /** The share of the processors' time, 0 to 1, that was used by something else when the run began. */
  disturbance: number;
}

const PLAN_COLUMNS = ["read", "index", "pages of 8 KiB", "ms"];

function planCells({ title, index, buffers, milliseconds }: Plan): string[] {
  return [title, index, String(buffers), milliseconds.toFixed(3)];
}

/** The plans, as text. */
export function formatPlans(plans: readonly Plan[]): string {
  return formatColumns([PLAN_COLUMNS, ...plans.map(planCells)]);
}

/** Writes the page, formatted as everything here is. */
export async function writePostgresPage(report: PostgresReport): Promise<void> {
  const { rows, plans, facts, date, minutes, disturbance } = report;
  const others = `${Math.round(disturbance * 100)} % of the processors' time was used by other work when it began`;
  await Deno.writeTextFile(
    PAGE,
    `# Benchmarks on PostgreSQL

\`deno task bench:postgres\` has written this page on ${date.toISOString().slice(0, 10)}, in ${
      Math.round(minutes)
    } minutes;
${others}.

## Servers on one database

${table(COLUMNS.map((name) => name || "met?"), rows.map(cells))}

## What PostgreSQL does for a read

With the plan that is made for any values, which is what a connection comes to use.

${table(PLAN_COLUMNS, plans.map(planCells))}

## With what, and on what

${table(["what", ""], facts)}

${EXPLANATION}`,
  );
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", PAGE] }).output();
}

const EXPLANATION = `## How to read it

- pgbench runs the store's own statements, prepared and with their parameters as text, as the drivers send them: for reads
  with ten clients, as many as a server has connections; for creates with two, each sending batches as large as those
  that one server was seen to send. It speaks no HTTP, checks no key, reads no JSON and makes none.
- The figure is by the clock, and the column "by processor time" by PostgreSQL's own: how many answers it gives for a second
  of its processors' time. The clients, the servers, wrk and PostgreSQL share this machine's cores here, and HTTP takes the
  most of them. So the first says what one small machine gives, and the second what of a PostgreSQL of its own is left
  when servers on other machines do the rest.
- Each server gets a load of 64 connections: whoever adds servers has more clients.
- Every commit is written to disk before it is acknowledged (\`synchronous_commit = on\`, \`fsync = on\`).

## Where the floor is not met

0.7 of pgbench's batches would be more creates a second than a server on the memory store takes on this machine, where a
create is a request over HTTP and nothing else: see its row. The servers' own time, and wrk's, is spent on the cores that
pgbench leaves to PostgreSQL. What can be held against the floor is PostgreSQL's processor time for a pet. It is higher
than with pgbench where batches are smaller, as they are with more servers, and where the caches are shared with others. It
would take a database on a machine of its own to show the rest. Two statements under way at once for each server gave
smaller batches, and less by that measure.

## What it does not show

- A network between servers and database. Each batch is one round trip, and the next goes when it is back: on a slower
  network batches are larger, up to 512.
- More cores than these: there, one to four servers would not take each other's time.
- A table that does not fit in memory.

## How to repeat it

On Debian: \`apt-get install postgresql wrk\`, then \`deno task bench:postgres\`.
`;
