import assert from "node:assert/strict";
import { createPostgresStore } from "../mod.ts";
import { statementsFor } from "../lib/statements.ts";
import { connect, runSql } from "../../../tests/support/postgres/postgres.ts";
import { countReads, test } from "./support.ts";

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
  test.tables(
    `a read follows an index to the end of the page, and a create reads two rows, with ${state}`,
    async (url, schema) => {
      const { all, ofStatus, pet } = statementsFor(schema), pets = `"${schema}".pets`;
      for (const sql of prepare(schema).split("; ")) await runSql(url, sql);
      await runSql(url, fill(schema, 5000, 60_000));
      // At the beginning, in the middle and near the end. A page of 20 reads one row more.
      const reads = [0, 32_500, 64_990].flatMap((after) => [
        `EXECUTE a(${after}, 21)`,
        `EXECUTE s(${after}, 21, 1)`,
        `EXECUTE p(${after})`,
      ]);
      for (const mode of ["force_generic_plan", "force_custom_plan"]) {
        const prepared =
          `SET plan_cache_mode = ${mode}; PREPARE a AS ${all}; PREPARE s AS ${ofStatus}; PREPARE p AS ${pet}`;
        for (const { scanned, fetched, entries } of await countReads(url, pets, prepared, ...reads)) {
          // The planner looks at a few rows too, and entries of deleted rows are passed over.
        assert.ok(scanned === 0 && fetched <= 30 && entries < 100, `${mode}: ${[scanned, fetched, entries]}`);
        }
      }
      // A create reads the last row, to check that the sequence is not behind, and its own, to check that it is there.
      const last = `SELECT setval('"${schema}".pet_ids', 100000)`;
      const create = `SELECT "${schema}".add_pets('{Rex}', '{7}', '{1}', '{}', '{}', '{}')`;
      const [created] = await countReads(url, pets, last, create);
      assert.deepEqual([created?.scanned, created?.fetched], [0, 2]);
    },
  );
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
