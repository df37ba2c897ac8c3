import assert from "node:assert/strict";
import { createPostgresStore } from "../mod.ts";
import { statementsFor } from "../lib/statements.ts";
import { connect, runSql } from "../../../tests/support/postgres/postgres.ts";
import { countReads, test } from "./support.ts";

/** The plans of all reads at different places, and the most rows that a step has touched. */
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

/** Inserts pets from an id on. Each thousandth is pending. */
function fill(schema: string, first: number, count: number): string {
  return `INSERT INTO "${schema}".pets
    SELECT i, 7, (i % 1000 = 0)::integer, 'R' FROM generate_series(${first}, ${first} + ${count} - 1) AS i`;
}

/** The statistics that PostgreSQL may have when many pets arrive: none, or outdated ones. */
const STATISTICS = {
  "no statistics": () => "",
  "statistics of no pets": (schema: string) => `VACUUM ANALYZE "${schema}".pets`,
  "statistics of the rare status only": (schema: string) =>
    `${fill(schema, 1, 4000)}; UPDATE "${schema}".pets SET status = 1; ANALYZE "${schema}".pets`,
};

for (const [state, prepare] of Object.entries(STATISTICS)) {
  test.tables(`reads follow an index to the end of the page, and a create reads two rows, with ${state}`, async (
    url,
    schema,
  ) => {
    for (const sql of prepare(schema).split("; ")) await runSql(url, sql);
    await runSql(url, fill(schema, 5000, 60_000));
    for (const mode of ["force_generic_plan", "force_custom_plan"]) {
      const { text, rows } = await explainAll(url, schema, mode, 65_000);
      assert.match(text, /Index Scan/);
      assert.doesNotMatch(text, /Seq Scan|Bitmap|Sort/, text);
      // A page of 20 reads one row more.
      assert.ok(rows <= 21, text);
    }
    // A create reads the last row, to check that the sequence is not behind, and its own, to check that it is there.
    const last = `SELECT setval('"${schema}".pet_ids', 100000)`;
    const create = `SELECT "${schema}".add_pets('{Rex}', '{7}', '{1}', '{}', '{}', '{}')`;
    const [created] = await countReads(url, `"${schema}".pets`, last, create);
    assert.deepEqual([created?.scanned, created?.fetched], [0, 2]);
  });
}

test.tables("a plan that was made for few pets is not used for many", async (url, schema) => {
  await runSql(url, `VACUUM ANALYZE "${schema}".pets`);
  const pool = connect(url, "test", 1);
  const store = await createPostgresStore(pool, { schema });
  // After five executions, PostgreSQL keeps a plan.
  for (let i = 0; i < 8; i++) await store.get(1n);
  await runSql(url, fill(schema, 1, 12_000));
  await store.list({ after: 11_000n, limit: 1 });
  await store.get(1n);
  // The text of the last statement differs from the first one, whose plan would be used again.
  const { rows: [last] } = await pool.query(
    `SELECT name FROM pg_prepared_statements WHERE statement LIKE '% id OPERATOR(pg_catalog.=) $1%' ORDER BY prepare_time DESC`,
  );
  const { rows: plan } = await pool.query(`EXPLAIN (COSTS OFF) EXECUTE "${last.name}"('1')`);
  assert.match(JSON.stringify(plan), /Index Scan/);
  await store.close();
  await pool.end();
});
