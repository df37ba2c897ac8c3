/** What PostgreSQL reads for a page, a pet, a create, a batch of keys and a deletion. */

import assert from "node:assert/strict";
import { createPostgresStore } from "../mod.ts";
import { textArray } from "../lib/client/arrays.ts";
import { statementsFor } from "../lib/statements.ts";
import { connect, runSql } from "../../../tests/support/postgres/postgres.ts";
import { countReads, DAY, forgetCall, test } from "./support.ts";

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

/** Inserts requests that expire in `ends` milliseconds, in random order, so that each lies in another block. */
function remember(schema: string, name: string, count: number, ends: number): string {
  return `INSERT INTO "${schema}".requests SELECT rpad('${name}' || i, 22, 'k'), '${"f".repeat(22)}', i,
    extract(epoch FROM clock_timestamp()) * 1000 + ${ends} + i FROM generate_series(1, ${count}) AS i ORDER BY md5(i::text)`;
}

/** The same for many requests. */
const STATISTICS_OF_REQUESTS = {
  "no statistics": () => [],
  "statistics of no request": (schema: string) => [`VACUUM ANALYZE "${schema}".requests`],
  "statistics of deleted rows": (schema: string) => [
    remember(schema, "old", 8000, -DAY),
    `DELETE FROM "${schema}".requests`,
    // PostgreSQL counts so while a backup keeps the rows from being removed.
    `UPDATE pg_class SET reltuples = 0, relpages = 100 WHERE oid = '"${schema}".requests'::regclass`,
  ],
};

function addCall(schema: string, names: string[]): string {
  const all = (value: string) => `array_fill(${value}, ARRAY[${names.length}])`;
  return `SELECT "${schema}".add_pets(${all("'Rex'::text")}, ${all("7::bigint")}, ${all("1::smallint")},
    '${textArray(names.map((name) => name.padEnd(22, "k")))}', ${all(`'${"f".repeat(22)}'::text`)},
    ${all(`${DAY}::bigint`)})`;
}

for (const [state, prepare] of Object.entries(STATISTICS_OF_REQUESTS)) {
  test.tables(`a batch of keys and a deletion read only the rows they need, with ${state}`, async (url, schema) => {
    for (const sql of prepare(schema)) await runSql(url, sql);
    const warm = Array.from({ length: 8 }, (_, i) => addCall(schema, [`warm${i}`])).join(";");
    const batch = Array.from({ length: 512 }, (_, i) => i % 2 === 0 ? `known${i + 1}` : `new${i}`);
    // The function may have kept plans.
    const before = [warm, remember(schema, "known", 10_000, DAY), remember(schema, "gone", 2000, -DAY)].join(";");
    const deletion = forgetCall(schema, 100);
    const [added, first, second, last] = await countReads(
      url,
      `"${schema}".requests`,
      before,
      addCall(schema, batch),
      deletion,
      deletion,
      Array(10).fill(deletion).join(";"),
    );
    assert.deepEqual([added?.scanned, first?.scanned], [0, 0]);
    assert.ok(added!.fetched <= 512, `${added!.fetched} rows were read for 512 keys`);
    assert.ok(first!.fetched > 0 && first!.fetched <= 300, `${first!.fetched} rows were read to delete 100`);
    // Deleted rows stay during a transaction, and are not passed over again and again.
    assert.ok(last!.entries < 15 * second!.entries, JSON.stringify([first, second, last]));
  });
}
