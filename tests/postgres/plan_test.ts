/** How PostgreSQL runs the reads: in an index and no further than the page, whatever it knows of the table. */

import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-types="@types/pg"
import { Pool } from "pg";
import { createPostgresStore, postgresSchema } from "../../lib/stores/postgres/postgres_store.ts";
import { statementsFor } from "../../lib/stores/postgres/statements.ts";
import { runSql, whyNoPostgres, withSchema } from "../support/postgres/postgres.ts";

const skip = whyNoPostgres();
const why = skip ? ` (skipped: ${skip})` : "";

/** The plans of all reads for any values or for these, from different places on, and the most rows that a step has touched. */
async function explainAll(url: string, schema: string, mode: string, last: number) {
  const { all, ofStatus, pet } = statementsFor(schema);
  const places = [0, last >> 1, last - 10];
  const explain = "EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) EXECUTE";
  const lines = await runSql(
    url,
    `SET plan_cache_mode = ${mode}; PREPARE a AS ${all}; PREPARE s AS ${ofStatus}; PREPARE p AS ${pet};
     ${
      places.map((after) => `${explain} a(${after}, 21); ${explain} s(${after}, 21, 1); ${explain} p(${after})`).join(
        ";",
      )
    }`,
  );
  const text = lines.flat(2).join("\n");
  const rows = [...text.matchAll(/rows=(\d+)|Removed by Filter: (\d+)/g)].map(([, a, b]) => Number(a ?? b));
  return { text, rows: Math.max(...rows) };
}

/** The rows that a create reads, of those that there are: the last, to see that the sequence is not behind. */
async function readByCreate(url: string, schema: string): Promise<{ scanned: number; fetched: number }> {
  const seen = `SELECT 'read', seq_tup_read, idx_tup_fetch FROM pg_stat_xact_user_tables
    WHERE relid = '"${schema}".pets'::regclass`;
  const rows = await runSql(
    url,
    `SELECT setval('"${schema}".pet_ids', 100000); ${seen};
     SELECT "${schema}".add_pets('{Rex}', '{7}', '{1}', '{}', '{}', '{}'); ${seen}`,
  );
  // Of several statements, each row is one text.
  const counted = rows.flat().filter((row) => row?.startsWith("read,")).map((row) => row!.split(",").map(Number));
  const [scanned, fetched] = [1, 2].map((i) => counted[1]![i]! - counted[0]![i]!);
  return { scanned: scanned!, fetched: fetched! };
}

/** Pets from an id on. Every thousandth is pending. */
function fill(schema: string, first: number, count: number): string {
  return `INSERT INTO "${schema}".pets
    SELECT i, 7, (i % 1000 = 0)::integer, 'R' FROM generate_series(${first}, ${first} + ${count} - 1) AS i`;
}

/** What PostgreSQL may know of a table when many pets come: nothing, or what was true before. */
const KNOWN = {
  nothing: () => "",
  "no pets": (schema: string) => `VACUUM ANALYZE "${schema}".pets`,
  "one pet": (schema: string) => `${fill(schema, 1, 1)}; ANALYZE "${schema}".pets`,
  "pets of one status": (schema: string) =>
    `${fill(schema, 1, 4000)}; UPDATE "${schema}".pets SET status = 0; ANALYZE "${schema}".pets`,
  "pets of the other": (schema: string) =>
    `${fill(schema, 1, 4000)}; UPDATE "${schema}".pets SET status = 1; ANALYZE "${schema}".pets`,
};

for (const [state, prepare] of Object.entries(KNOWN)) {
  test(
    `a page and a pet are read in an index, and no row more than one beyond the page, and a create reads one row, where PostgreSQL knows of ${state}${why}`,
    { skip },
    () =>
      withSchema(async (url, schema) => {
        await runSql(url, postgresSchema(schema));
        for (const sql of prepare(schema).split("; ")) await runSql(url, sql);
        await runSql(url, fill(schema, 5000, 60_000));
        for (const mode of ["force_generic_plan", "force_custom_plan"]) {
          const { text, rows } = await explainAll(url, schema, mode, 65_000);
          assert.match(text, /Index Scan/);
          assert.doesNotMatch(text, /Seq Scan|Bitmap|Sort/, text);
          assert.ok(rows <= 21, text);
        }
        assert.deepEqual(await readByCreate(url, schema), { scanned: 0, fetched: 1 });
      }),
  );
}

test(
  `a plan that was made while there were few pets is not used for many${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      await runSql(url, postgresSchema(schema));
      await runSql(url, `VACUUM ANALYZE "${schema}".pets`);
      const pool = new Pool({ connectionString: url, max: 1 });
      const store = await createPostgresStore(pool, { schema });
      try {
        // After the fifth time, PostgreSQL keeps a plan.
        for (let i = 0; i < 8; i++) await store.get(1n);
        await runSql(url, fill(schema, 1, 12_000));
        await store.list({ after: 11_000n, limit: 1 });
        for (let i = 0; i < 8; i++) await store.get(1n);
        const prepared = await pool.query(
          "SELECT name, statement FROM pg_prepared_statements WHERE statement LIKE '% id OPERATOR(pg_catalog.=) $1%'",
        );
        const plans = await Promise.all(prepared.rows.map(async ({ name, statement }) => {
          const { rows } = await pool.query(`EXPLAIN (COSTS OFF) EXECUTE "${name}"('1')`);
          return [/1e4/.test(statement), /Index Scan/.test(JSON.stringify(rows))];
        }));
        // The first is the plan that would have been used.
        assert.deepEqual(plans.sort(), [[false, false], [true, true]]);
      } finally {
        await store.close();
        await pool.end();
      }
    }),
);
