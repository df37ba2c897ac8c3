/** How PostgreSQL runs the reads: in an index and no further than the page, on an empty table and on a large one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPostgresStore } from "../../lib/stores/postgres.ts";
import { statementsFor } from "../../lib/stores/postgres_statements.ts";
import { DRIVERS, runSql, whyNoPostgres, withSchema } from "../support/postgres.ts";

const skip = whyNoPostgres();
const why = skip ? ` (skipped: ${skip})` : "";

/** The plan that a prepared statement comes to have, and the most rows that a step of it has touched. */
async function explain(url: string, statement: string, values: string[]): Promise<{ text: string; rows: number }> {
  const lines = await runSql(
    url,
    `SET plan_cache_mode = force_generic_plan; PREPARE p AS ${statement};
     EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) EXECUTE p(${values.join(", ")})`,
  );
  const text = lines.flat(2).join("\n");
  const rows = [...text.matchAll(/rows=(\d+)|Removed by Filter: (\d+)/g)].map(([, a, b]) => Number(a ?? b));
  return { text, rows: Math.max(...rows) };
}

test(
  `a page and a pet are read in an index, and no row more than one beyond the page${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      await DRIVERS[0]!.use(url, async (client) => (await createPostgresStore(client, { schema })).close());
      const { all, ofStatus, pet } = statementsFor(schema);
      for (const size of [0, 100_000]) {
        // Every thousandth is pending. At first without statistics, as a table is that has just been filled.
        await runSql(
          url,
          `INSERT INTO "${schema}".pets SELECT i, 7, (i % 1000 = 0)::integer, 'Rex' FROM generate_series(1, ${size}) AS i`,
        );
        // Of a table that it has found empty or small, PostgreSQL reads all, until it next counts the rows.
        const states = size === 0 ? ["SELECT 1"] : ["SELECT 1", `ANALYZE "${schema}".pets`];
        for (const analyze of states) {
          await runSql(url, analyze);
          for (const after of ["0", "50000", "99990"]) {
            for (
              const [statement, values] of [[all, [after, "21"]], [ofStatus, [after, "21", "1"]], [pet, [
                after,
              ]]] as const
            ) {
              const { text, rows } = await explain(url, statement, [...values]);
              assert.match(text, /Index Scan/);
              assert.doesNotMatch(text, /Seq Scan|Bitmap|Sort/, text);
              assert.ok(rows <= 21, text);
            }
          }
        }
      }
    }),
);
